/** Errors of the network, and of a server that shuts down, starts, has no connection left, or ended an idle one. */
const lossCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '53300',
  '25P03',
]);

/** True when the connection or the server was lost: the same query may succeed later. */
export function isConnectionLoss(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    lossCodes.has(code) ||
    /connection terminated|client has encountered a connection error|timeout exceeded when trying to connect/i.test(
      message,
    )
  );
}

/** True when the transaction lost against another one and may be repeated: serialization failure, deadlock, lock. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01' || code === '55P03';
}
