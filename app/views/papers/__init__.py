"""The page that sets what the sources print beside what was measured."""
