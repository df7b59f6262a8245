/** A template that cannot be read or rendered: what is wrong and in which line, counted from 1. */
export class TemplateError extends Error {
  constructor(
    message: string,
    readonly line?: number,
  ) {
    super(message);
    this.name = 'TemplateError';
  }
}
