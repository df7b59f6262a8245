import type { Misnamed } from '../../values/misnamed.js';

/** A template that cannot be read or rendered: what is wrong and in which line, counted from 1. */
export class TemplateError extends Error {
  constructor(
    message: string,
    readonly line?: number,
    readonly misnamed?: Misnamed,
  ) {
    super(message);
    this.name = 'TemplateError';
  }
}
