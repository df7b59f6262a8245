/**
 * Counts what can still move in a run. When nothing can, every branch waits for an answer and the run parks: the
 * promises of the waiting branches simply stay open.
 */
export class Activity {
  #moving = 0;
  #check: NodeJS.Immediate | undefined;

  constructor(private readonly onIdle: () => void) {}

  enter(): void {
    this.#moving += 1;
  }

  leave(): void {
    this.#moving -= 1;
    if (this.#moving > 0 || this.#check !== undefined) return;
    // Judged in the next turn: whoever hands over to another branch leaves before the other enters.
    this.#check = setImmediate(() => {
      this.#check = undefined;
      if (this.#moving === 0) this.onIdle();
    });
  }
}
