import { type BrokenDownTime, fromEpochSeconds, toEpochMilliseconds } from './broken-down-time.js';
import { months, weekdays } from './names.js';

const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

/** Fields as they are read; some only make sense together. */
interface Fields extends Omit<BrokenDownTime, 'weekday'> {
  century: number | null;
  isAfternoon: boolean | null;
  hasDayOfYear: boolean;
  epoch: number | null;
}

/** A parsed moment and what the format left of the text; null when the text does not match. */
export function strptime(text: string, format: string): { time: BrokenDownTime; rest: string } | null {
  const reader = new Reader(text);
  if (!reader.read(format)) return null;
  const time = reader.finish();
  return time === null ? null : { time, rest: text.slice(reader.at) };
}

class Reader {
  at = 0;
  private readonly fields: Fields = {
    year: 1970,
    month: 0,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    dayOfYear: 0,
    century: null,
    isAfternoon: null,
    hasDayOfYear: false,
    epoch: null,
  };

  constructor(private readonly text: string) {}

  read(format: string): boolean {
    for (let index = 0; index < format.length; index++) {
      const character = format[index]!;
      if (/\s/.test(character)) this.skipSpace();
      else if (character !== '%') {
        if (this.text[this.at] !== character) return false;
        this.at++;
      } else {
        index++;
        while (/[-_0^#EO]/.test(format[index] ?? '')) index++;
        if (!this.field(format[index] ?? '')) return false;
      }
    }
    return true;
  }

  finish(): BrokenDownTime | null {
    const { fields } = this;
    if (fields.epoch !== null) return fromEpochSeconds(fields.epoch);
    if (fields.century !== null) fields.year = fields.century * 100 + (fields.year % 100);
    if (fields.isAfternoon !== null) fields.hour = (fields.hour % 12) + (fields.isAfternoon ? 12 : 0);
    if (fields.hasDayOfYear) {
      fields.month = 0;
      fields.day = fields.dayOfYear + 1;
    }
    return fromEpochSeconds(toEpochMilliseconds(fields) / 1000);
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.at += found.length;
    return found;
  }

  /** A whole number of at most `digits` digits within a range, after optional blanks. */
  private number(digits: number, low: number, high: number, store: (value: number) => void): boolean {
    this.skipSpace();
    const found = this.match(new RegExp(`[+-]?[0-9]{1,${digits}}`, 'y'));
    if (found === null) return false;
    const value = Number(found);
    if (value < low || value > high) return false;
    store(value);
    return true;
  }

  private name(names: readonly string[], store: (index: number) => void): boolean {
    const rest = this.text.slice(this.at).toLowerCase();
    for (const length of ['full', 'short'] as const) {
      const index = names.findIndex((name) => {
        return rest.startsWith((length === 'full' ? name : name.slice(0, 3)).toLowerCase());
      });
      if (index === -1) continue;
      this.at += length === 'full' ? names[index]!.length : 3;
      store(index);
      return true;
    }
    return false;
  }

  private field(kind: string): boolean {
    const { fields } = this;
    const composite = composites[kind];
    if (composite !== undefined) return this.read(composite);
    switch (kind) {
      case 'a':
      case 'A':
        return this.name(weekdays, () => {});
      case 'b':
      case 'B':
      case 'h':
        return this.name(months, (index) => {
          fields.month = index;
        });
      case 'C':
        return this.number(2, 0, 99, (value) => {
          fields.century = value;
        });
      case 'd':
      case 'e':
        return this.number(2, 1, 31, (value) => {
          fields.day = value;
        });
      case 'H':
      case 'k':
        return this.number(2, 0, 23, (value) => {
          fields.hour = value;
        });
      case 'I':
      case 'l':
        return this.number(2, 1, 12, (value) => {
          fields.hour = value;
        });
      case 'j':
        return this.number(3, 1, 366, (value) => {
          fields.dayOfYear = value - 1;
          fields.hasDayOfYear = true;
        });
      case 'm':
        return this.number(2, 1, 12, (value) => {
          fields.month = value - 1;
        });
      case 'M':
        return this.number(2, 0, 59, (value) => {
          fields.minute = value;
        });
      case 'p':
      case 'P': {
        const found = this.match(/[AaPp][Mm]/y);
        if (found !== null) fields.isAfternoon = found[0]!.toLowerCase() === 'p';
        return found !== null;
      }
      case 's':
        return this.number(20, -8.64e12, 8.64e12, (value) => {
          fields.epoch = value;
        });
      case 'S':
        return this.number(2, 0, 60, (value) => {
          fields.second = value;
        });
      case 'y':
        return this.number(2, 0, 99, (value) => {
          fields.year = value < 69 ? 2000 + value : 1900 + value;
        });
      case 'Y':
        return this.number(4, -9999, 9999, (value) => {
          fields.year = value;
        });
      case 'g':
      case 'u':
      case 'U':
      case 'V':
      case 'w':
      case 'W':
        return this.number(2, 0, 99, () => {});
      case 'G':
        return this.number(4, 0, 9999, () => {});
      case 'n':
      case 't':
        this.skipSpace();
        return true;
      case 'z':
        this.skipSpace();
        return this.match(/Z|[+-][0-9]{2}(?::?[0-9]{2})?/y) !== null;
      case 'Z':
        return this.match(/[A-Za-z]+/y) !== null;
      case '%':
        return this.match(/%/y) !== null;
      default:
        return false;
    }
  }
}
