"""What the judge knows of each goal, one module for each; `registry` has them all."""
