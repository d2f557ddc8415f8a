#include "sema/sum_order.h"

#include <algorithm>
#include <map>

namespace oocc {

namespace {

/// Terms that have been taken together: where they are in the dimensions that are still to come, and which indices they had
/// along each of the others.
struct Group {
    Offsets at;
    std::vector<std::vector<int>> pattern;
    SumPart part;
};

SumPart together(std::vector<SumPart> parts) {
    if (parts.size() == 1) return parts.front();
    const size_t first = parts.front().point;
    return {first, std::move(parts)};
}

/// Groups that differ in their place along the dimension alone become one, in order of that place.
std::vector<Group> alongDimension(const std::vector<Group> &groups, size_t dim) {
    using Key = std::pair<Offsets, std::vector<std::vector<int>>>;
    std::map<Key, std::map<int, const Group *>> alike;
    for (const Group &group : groups) {
        Offsets elsewhere = group.at;
        elsewhere[dim] = 0;
        alike[{elsewhere, group.pattern}][group.at[dim]] = &group;
    }
    std::vector<Group> out;
    for (const auto &[key, members] : alike) {
        Group &joined = out.emplace_back(Group{key.first, key.second, {}});
        std::vector<SumPart> parts;
        joined.pattern.emplace_back();
        for (const auto &[place, group] : members) {
            joined.pattern.back().push_back(place);
            parts.push_back(group->part);
        }
        joined.part = together(std::move(parts));
    }
    return out;
}

} // namespace

SumPart sumOrder(const std::vector<Offsets> &all, const std::vector<size_t> &points, size_t dims) {
    std::vector<Group> groups;
    for (size_t point : points)
        groups.push_back({all[point], {}, {point, {}}});
    for (size_t dim = dims; dim-- > 0;)
        groups = alongDimension(groups, dim);
    std::ranges::sort(groups, {}, [&](const Group &group) { return all[group.part.point]; });
    std::vector<SumPart> parts;
    for (Group &group : groups)
        parts.push_back(std::move(group.part));
    return together(std::move(parts));
}

} // namespace oocc
