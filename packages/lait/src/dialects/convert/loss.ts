/** Something that the other form cannot say, and where it stands. */
export interface Loss {
  /** As in diagnostics of the form that is read, e.g. `graph.2.steps.0` or `steps[1]`. */
  path: string;
  message: string;
}

/** A translation, when everything could be said, and how its meaning differs at the edges. */
export interface Conversion<Result> {
  result?: Result;
  losses: readonly Loss[];
  /** What holds in one form only, e.g. how missing parts of a path are treated. */
  notes: readonly string[];
}
