#include "storage/stripe.h"

static const int64_t STRIPE_BYTES = (int64_t)1 << 20;
enum { STRIPES_LEAST = 4 }; /* per member */

int64_t stripe_planes(int64_t planes, int64_t plane_bytes, int members) {
    if (members == 1) return oocc_max(planes, 1);
    const int64_t wanted = (STRIPE_BYTES - 1) / plane_bytes + 1;
    return oocc_max(1, oocc_min(wanted, planes / ((int64_t)STRIPES_LEAST * members)));
}

/* Of the planes of a region, those on one member: whole stripes, and the last one may be shorter. */
static int64_t planes_on(const struct region *region, int member, int members) {
    const int64_t unit = region->stripe_planes, stripes = (region->planes - 1) / unit + 1;
    const int64_t first = (member - region->first_member + members) % members;
    if (first >= stripes) return 0;
    const int64_t own = (stripes - 1 - first) / members + 1;
    const bool has_last = (stripes - 1 - first) % members == 0;
    return own * unit - (has_last ? stripes * unit - region->planes : 0);
}

int stripe_lay_out(struct store *store, struct region *region, int file) {
    region->stripe_planes = stripe_planes(region->planes, region->plane_bytes, store->members);
    region->first_member = store->regions % store->members;
    for (int m = 0; m < store->members; m++) {
        int64_t bytes, *share = &store->member[m].share[file];
        region->offset[m] = *share;
        if (__builtin_mul_overflow(planes_on(region, m, store->members), region->plane_bytes, &bytes) ||
            __builtin_add_overflow(*share, bytes, share))
            return run_fail(OOCC_BAD_INPUT, "make the grid smaller", "the stored grid does not fit 63 bits");
    }
    return 0;
}

struct spot stripe_find(struct store *store, const struct region *region, int file, int64_t z) {
    const int64_t unit = region->stripe_planes, stripe = z / unit, within = z % unit;
    const int m = (int)((stripe + region->first_member) % store->members);
    struct member *member = &store->member[m];
    const int64_t before = stripe / store->members * unit + within;
    return (struct spot){.file = member_file(member, file),
                         .offset = member->base[file] + region->offset[m] + before * region->plane_bytes,
                         .planes = oocc_min(unit - within, region->planes - z)};
}
