/** Reads an environment variable the way the platform does: Windows ignores the case of names. */
export function readVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: string = process.platform,
): string | undefined {
  const key = Object.hasOwn(environment, name)
    ? name
    : Object.keys(environment).find((each) => isSameVariable(each, name, platform));
  return key === undefined ? undefined : environment[key];
}

/** Whether two names stand for one variable. */
export function isSameVariable(one: string, other: string, platform: string = process.platform): boolean {
  return one === other || (platform === 'win32' && one.toUpperCase() === other.toUpperCase());
}
