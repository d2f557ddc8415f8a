// The race of plans for --tune, on machines that are made up: trials that disturb each other's order, speeds that drift.
#include "runtime_c.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

constexpr int planned = 8;

struct Race {
    race state{};

    /// Shapes that differ in ct; the model likes each a little less than the one before.
    explicit Race(int racers) {
        for (int i = 0; i < racers; i++) {
            shape s{};
            s.bt = 64;
            s.ct = i + 1;
            race_add(&state, &s, 10 + 0.01 * i);
        }
    }
    /// Tries all, then `rounds` of the final; the number of the winner.
    template <class Seconds> int run(int rounds, Seconds seconds) {
        while (racer *next = race_next(&state))
            next->first = seconds(number(next));
        race_choose_finalists(&state, RACE_FINALISTS);
        for (int turn = 0; turn < rounds * state.finalists; turn++)
            race_take(&state, seconds(number(race_turn(&state))));
        return winner();
    }
    int winner() const {
        double took = 0;
        return number(race_winner(&state, &took));
    }
    static int number(const racer *r) {
        return r ? int(r->shape.ct) - 1 : -1;
    }
};

TEST(Race, TriesTheModelsChoiceThenWhatItLikesBestAndNothingTwice) {
    Race race(3);
    shape again{};
    again.bt = 64;
    again.ct = 2;
    race_add(&race.state, &again, 1);
    EXPECT_EQ(race.state.count, 3);
    again.ct = 9;
    race_add(&race.state, &again, 1);
    for (const int expected : {0, 8, 1, 2}) {
        racer *next = race_next(&race.state);
        ASSERT_NE(next, nullptr);
        EXPECT_EQ(Race::number(next), expected);
        next->first = 5;
    }
    EXPECT_EQ(race_next(&race.state), nullptr);
}

// Twenty shapes within a fifth of each other, trials of which each may take half as long again: what the winner really takes.
TEST(Race, LuckOfFirstTrialsDoesNotWin) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shapes(1, 1.2), luck(1, 1.5);
    double single = 0, raced = 0, average = 0;
    constexpr int machines = 400, racers = 20;
    for (int machine = 0; machine < machines; machine++) {
        std::vector<double> truth(racers);
        for (double &t : truth)
            average += (t = shapes(random)) / racers;
        const auto seconds = [&](int i) { return truth.at(i) * luck(random); };
        single += truth.at(Race(racers).run(0, seconds));
        raced += truth.at(Race(racers).run(RACE_ROUNDS, seconds));
    }
    EXPECT_LT(raced, single) << average / machines;
    EXPECT_LT(raced / machines, 1.045) << "the best of twenty is 1.01, any of them 1.1; by single trials " << single / machines;
}

// From one round to the next everything takes three times as long: finalists are compared within rounds.
TEST(Race, ASlowMinuteIsSlowForAll) {
    Race race(planned);
    int turn = 0;
    const int winner = race.run(4, [&](int i) {
        const int round = turn < planned ? 0 : (turn - planned) / RACE_FINALISTS;
        turn++;
        return (i == 5 ? 0.95 : 1.0) * (round % 2 ? 3 : 1);
    });
    EXPECT_EQ(winner, 5);
}

// Its slower trials are those of the round that was cut short.
TEST(Race, ARoundThatIsCutShortDoesNotCount) {
    Race race(planned);
    while (racer *next = race_next(&race.state))
        next->first = 1;
    race_choose_finalists(&race.state, 2);
    for (const double took : {1.0, 1.1, 9.0})
        race_take(&race.state, took);
    EXPECT_EQ(race.winner(), 0);
}

TEST(Race, TheModelsChoiceIsAFinalistAndWhatCannotBeTriedIsNone) {
    Race race(planned);
    const int winner = race.run(2, [](int i) { return i == 0 ? 2.0 : i % 2 ? INFINITY : 1.0 + 0.1 * i; });
    EXPECT_EQ(race.state.finalist[0], 0);
    EXPECT_EQ(race.state.finalists, 4);
    for (int i = 1; i < race.state.finalists; i++)
        EXPECT_EQ(race.state.finalist[i] % 2, 0);
    EXPECT_EQ(winner, 2);

    Race none(planned);
    EXPECT_EQ(none.run(1, [](int) { return INFINITY; }), -1);
    EXPECT_EQ(race_turn(&none.state), nullptr);
}

TEST(Race, WithoutAFinalTheFirstTrialsDecide) {
    EXPECT_EQ(Race(planned).run(0, [](int i) { return i == 3 ? 1.0 : 2.0; }), 3);
}

TEST(Race, EndsAfterItsRounds) {
    Race race(planned);
    race.run(RACE_ROUNDS, [](int i) { return 1.0 + i; });
    EXPECT_EQ(race_turn(&race.state), nullptr);
    EXPECT_EQ(race.winner(), 0);
}

} // namespace
