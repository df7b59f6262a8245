import type { PatternReader } from './pattern-reader.js';

/** The groups of a pattern, and the references to them: a name may be used before it is given. */
export class GroupReferences {
  /** By position from 1; unnamed groups are null. */
  readonly names: (string | null)[] = [];
  private readonly references: { readonly name: string; readonly groups: number[] }[] = [];

  constructor(private readonly reader: PatternReader) {}

  /** Counts a group and gives its position. */
  open(name: string | null): number {
    return this.names.push(name);
  }

  /** The groups of that name or number, complete after `resolve`. Negative numbers count backwards from here. */
  refer(name: string): readonly number[] {
    const groups: number[] = [];
    if (/^[0-9]+$/.test(name)) groups.push(Number(name));
    if (/^-[0-9]+$/.test(name)) groups.push(this.names.length + 1 + Number(name));
    this.references.push({ name, groups });
    return groups;
  }

  resolve(): void {
    for (const { name, groups } of this.references) {
      if (groups.length === 0) {
        this.names.forEach((groupName, index) => {
          if (groupName === name) groups.unshift(index + 1);
        });
        if (groups.length === 0) this.reader.fail(`undefined name <${name}> reference`);
      }
      if (groups.some((group) => group < 1 || group > this.names.length)) {
        this.reader.fail('invalid backref number/name');
      }
    }
  }
}
