/** Words for what must stay secret, as parts of names; some are also written together with the word before them. */
const secretPart =
  /(?:^|_)(?:auth|authorization|bearer|cookies?|credentials?|jwt|keys?|pass|passphrase|pat)\d*(?:_|$)|(?:api|access|private|secret|signing)keys?\d*(?:_|$)|(?:tokens?|secrets?|passwords?|passwd|pwd)\d*(?:_|$)/;

/** Last words of names that say where or what a secret is, and do not hold it. */
const besideSecret =
  /_(?:sock|socket|file|path|dir|directory|home|url|uri|host|port|server|domain|provider|mode|type|method|algorithm|name|user|id|ttl|enabled|version)$/;

/** What every shell has: the working directory, not a password. */
const ordinary = new Set(['pwd', 'oldpwd']);

/** True for names of variables and headers that speak of a secret: `GITHUB_TOKEN`, `X-Api-Key`, `dbPassword`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return secretPart.test(words) && !besideSecret.test(words) && !ordinary.has(words);
}
