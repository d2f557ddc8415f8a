"""How much the tests of this folder do: a little, or with --long as much as a night allows."""
import os

LONG = os.environ.get("OOCC_LONG", "") == "1"
SEED = int(os.environ.get("OOCC_SEED", "1"))
KILLS = 2000 if LONG else 200
RACES = 500 if LONG else 50
SIGNALS = 1500 if LONG else 24
PLANS = 400 if LONG else 12
