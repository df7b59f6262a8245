/** A name that nothing has, and the names that there are: what a suggestion is made from. */
export interface Misnamed {
  name: string;
  known: Iterable<string>;
}
