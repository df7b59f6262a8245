import { UsageError } from '../../errors/errors.js';
import type { Scope } from '../../server/access/scopes.js';
import type { TokenService, TokenView } from '../../server/access/token-service.js';
import { printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { openServerDatabase } from '../serve/server-database.js';

export interface TokensOptions {
  database?: string;
  json?: true;
}

export interface CreateTokenOptions extends TokensOptions {
  scope?: string[];
  expiresIn?: string;
}

/** `lait tokens create`: the token is printed this once. Throws a `UsageError`: `scope_unknown`, `usage`. */
export async function createToken(
  name: string,
  { scope = [], expiresIn, json, ...options }: CreateTokenOptions,
  context: CommandContext,
): Promise<void> {
  const { scopes } = await import('../../server/access/scopes.js');
  const wanted = [...new Set(scope)];
  const unknown = wanted.find((one) => !(scopes as readonly string[]).includes(one));
  if (unknown !== undefined || wanted.length === 0)
    throw new UsageError({
      code: 'scope_unknown',
      message: `${unknown === undefined ? 'say what the token may do' : `there is no scope '${unknown}'`}: --scope ${scopes.join(', ')}`,
    });
  const expiresAt =
    expiresIn === undefined ? undefined : new Date(Date.now() + durationOf(expiresIn)).toISOString();
  await withTokens(options, context, async (tokens, audit) => {
    const { token, view } = await tokens.create({
      name,
      scopes: wanted as Scope[],
      ...(expiresAt !== undefined && { expiresAt }),
    });
    await audit('token.created', view.id, { name, scopes: wanted });
    if (json === true) await context.output.writeJson({ ...view, token });
    else {
      await context.output.write(`${token}\n`);
      context.output.note(`${view.id}: keep it now, it cannot be shown again`);
    }
  });
}

/** `lait tokens list`. */
export async function listTokens(
  { json, ...options }: TokensOptions,
  context: CommandContext,
): Promise<void> {
  await withTokens(options, context, async (tokens) => {
    const views = await tokens.list();
    if (json === true) await context.output.writeJson(views);
    else if (views.length === 0)
      context.output.note('there are no tokens; `lait tokens create NAME --scope …` makes one');
    else await context.output.write(tableText(views.map(rowOf)));
  });
}

/** `lait tokens revoke`. Throws a `UsageError` (code `token_not_found`). */
export async function revokeToken(
  id: string,
  options: TokensOptions,
  context: CommandContext,
): Promise<void> {
  await withTokens(options, context, async (tokens, audit) => {
    if (!(await tokens.revoke(id)))
      throw new UsageError({ code: 'token_not_found', message: `there is no token '${id}'` });
    await audit('token.revoked', id, {});
    context.output.note(`revoked ${id}`);
  });
}

type Record = (
  action: string,
  subject: string,
  details: { name?: string; scopes?: string[] },
) => Promise<void>;

async function withTokens(
  { database: given }: TokensOptions,
  context: CommandContext,
  work: (tokens: TokenService, audit: Record) => Promise<void>,
): Promise<void> {
  const [{ TokenService }, { Audit }, { localActor }] = await Promise.all([
    import('../../server/access/token-service.js'),
    import('../../server/access/audit.js'),
    import('../../server/access/scopes.js'),
  ]);
  const database = await openServerDatabase(given, context);
  try {
    const audit = new Audit(database);
    await work(new TokenService(database), (action, subject, details) =>
      audit.record(localActor, action, subject, details),
    );
  } finally {
    await database.close();
  }
}

function rowOf({ id, name, scopes, created_at, expires_at, last_used_at, revoked_at }: TokenView): string[] {
  const state =
    revoked_at !== null
      ? 'revoked'
      : expires_at !== null && Date.parse(expires_at) <= Date.now()
        ? 'expired'
        : expires_at === null
          ? 'usable'
          : `usable until ${expires_at}`;
  return [
    id,
    printable(name),
    scopes.join(','),
    state,
    `made ${created_at}`,
    `used ${last_used_at ?? 'never'}`,
  ];
}

/** `90d`, `12h`, `30m` in milliseconds. */
function durationOf(text: string): number {
  const match = /^(\d{1,5})([dhm])$/.exec(text);
  const unit = { d: 86_400_000, h: 3_600_000, m: 60_000 }[match?.[2] ?? ''];
  if (match !== null && unit !== undefined) return Number(match[1]) * unit;
  throw new UsageError({
    code: 'usage',
    message: `--expires-in must look like 90d, 12h or 30m, not '${text}'`,
  });
}
