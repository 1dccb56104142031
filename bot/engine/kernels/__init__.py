"""The compiled part of the engine, which works on arrays of numbers. Callers check all values."""
