import { isObject, type JsonValue, setOwnProperty } from './value.js';

/** What stands where a secret was. */
const redactionMark = '[REDACTED]';

/** Shorter values would mask ordinary words; shorter lines of a longer secret are no secret by themselves. */
const minimumLength = 4;
const minimumPartLength = 8;

/**
 * The secret values that a process knows, and the one place that hides them: logs, events, records, recordings and
 * errors all go through `mask`. It finds a secret as it is and in the forms that templates, jq and protocols give it:
 * trimmed, in upper or lower case, line by line, JSON-escaped, URL-encoded, in base64, base64url and hexadecimal.
 * Source: field reports FR-25 and FR-26.
 */
export class SecretRegistry {
  readonly #known = new Set<string>();
  #forms: string[] = [];

  /** Remembers a secret. Values of fewer than four characters are ignored. */
  add(value: string | undefined): void {
    if (value === undefined || value.trim().length < minimumLength || this.#known.has(value)) return;
    this.#known.add(value);
    const forms = new Set(this.#forms);
    for (const form of formsOf(value)) forms.add(form);
    this.#forms = [...forms].sort((a, b) => b.length - a.length);
  }

  /** True when `text` holds a known secret in one of its forms. */
  occursIn(text: string): boolean {
    return this.#forms.some((form) => text.includes(form));
  }

  /** The text with every occurrence of a known secret replaced by `[REDACTED]`. */
  mask(text: string): string {
    let masked = text;
    for (const form of this.#forms) {
      if (masked.includes(form)) masked = masked.replaceAll(form, () => redactionMark);
    }
    return masked;
  }

  /** The value with its texts and keys masked; the same object when nothing had to change. */
  maskValue<T extends JsonValue | undefined>(value: T): T {
    return this.#forms.length === 0 ? value : (this.#maskAny(value as JsonValue) as T);
  }

  #maskAny(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) {
      const masked = value.map((item) => this.#maskAny(item));
      return masked.every((item, index) => item === value[index]) ? value : masked;
    }
    if (!isObject(value)) return value;
    const masked = {};
    let changed = false;
    for (const [key, item] of Object.entries(value)) {
      const maskedKey = this.mask(key);
      const maskedItem = this.#maskAny(item);
      changed ||= maskedKey !== key || maskedItem !== item;
      setOwnProperty(masked, maskedKey, maskedItem);
    }
    return changed ? masked : value;
  }
}

function formsOf(secret: string): Set<string> {
  const plain = new Set<string>();
  const addPlain = (text: string, minimum: number) => {
    if (text.length >= minimum) plain.add(text).add(text.toUpperCase()).add(text.toLowerCase());
  };
  addPlain(secret, minimumLength);
  addPlain(secret.trim(), minimumLength);
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  if (lines.length > 1) for (const line of lines) addPlain(line, minimumPartLength);

  const forms = new Set(plain);
  for (const text of plain) {
    forms.add(JSON.stringify(text).slice(1, -1));
    for (const encoded of urlForms(text)) forms.add(encoded);
    for (const encoded of binaryForms(Buffer.from(text, 'utf8'))) forms.add(encoded);
  }
  return forms;
}

function urlForms(text: string): string[] {
  try {
    const encoded = encodeURIComponent(text);
    return [
      encoded,
      // RFC 3986 reserves five more characters; jq's @uri escapes them.
      encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
      encoded.replaceAll('%20', '+'),
      encoded.replace(/%[0-9A-F]{2}/g, (percent) => percent.toLowerCase()),
      encodeURI(text),
    ];
  } catch {
    // A lone surrogate has no URL form.
    return [];
  }
}

/** Base64 of the bytes wherever they begin inside a longer text (a key in `user:key`, for example), and hexadecimal. */
function binaryForms(bytes: Buffer): string[] {
  const forms = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  for (const before of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = shifted.subarray(0, shifted.length - (shifted.length % 3)).toString('base64');
    const core = whole.slice(before === 0 ? 0 : 4);
    if (core.length >= minimumPartLength) {
      forms.push(core, core.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return forms;
}
