"""Models that come with the program, trained on 25 MB of Korean: `make models` makes them."""
