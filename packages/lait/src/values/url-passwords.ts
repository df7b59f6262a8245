/**
 * The password in a text that is an address (`postgres://user:password@host/name`), as it is written and decoded. A
 * password that is the name of its user is no secret: the name is not hidden either.
 */
export function urlPasswords(text: string): string[] {
  const [, user, password] = /^[a-z][a-z\d+.-]*:\/\/([^\s/?#:@]*):([^\s/?#]+)@/i.exec(text.trim()) ?? [];
  if (password === undefined || password === user) return [];
  return [...new Set([password, decoded(password)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
