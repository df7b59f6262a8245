/** What lait promises its users, a row each: id, what holds, and where the rule comes from. */
export const promises: readonly (readonly [id: string, sentence: string, source: string])[] = [
  ['engine.retry-only-failures', 'A step that succeeded is never repeated by retry', 'FR-10'],
  [
    'engine.retry-waits',
    'Attempts are repeated at most max_attempts times, the wait grows by backoff',
    'steps seed, エラー処理',
  ],
  [
    'engine.on-error-input',
    'on_error sees the chain of causes and the value that came in',
    'steps seed, エラー処理',
  ],
  [
    'engine.on-error-not-on-cancel',
    'on_error does not run when the run or an outer deadline cancels',
    'steps seed, エラー処理',
  ],
  ['engine.failed-attempt-leaves-nothing', 'What a failed attempt recorded is dropped', 'facts steps §7'],
  [
    'engine.timeout-awaited',
    'A timed-out attempt is cancelled and awaited before anything else happens',
    'facts steps §7',
  ],
  [
    'engine.stop-records-enclosing',
    'A stop passes through control steps, which record its value',
    'facts steps §7',
  ],
  [
    'engine.break-ends-innermost',
    'A break ends the innermost loop with the value at hand',
    'steps seed, stop / break',
  ],
  [
    'engine.branch-failure-named',
    'A failure names the step path, the branch or the item index with a preview',
    'FR-13',
  ],
  ['engine.siblings-cancelled', 'When a branch fails its siblings are cancelled and awaited', 'FR-11'],
  ['engine.order-kept', 'Concurrent results keep the order of declaration whatever the latencies', 'FR-11'],
  ['engine.sequential-equals-concurrent', 'for_each gives the same value at any concurrency', 'DESIGN §7'],
  [
    'engine.cancel-reaches-leaves',
    'Cancelling a run reaches every effect below it, and the run ends when all have settled',
    'FR-22',
  ],
  ['engine.loop-stops-on-failure', 'A loop stops at the iteration that fails', 'FR-14'],
  ['engine.position-is-identity', 'Two uses of one id in separate branches keep separate values', 'FR-07'],
  ['engine.parks', 'A run parks when every branch waits, and goes on after an answer', 'DESIGN §2'],
  [
    'engine.waiting-pauses-deadlines',
    'Time spent waiting for a person does not count against a timeout',
    'DESIGN §2',
  ],
  ['engine.replay-repeats-no-effect', 'A recovered run repeats no effect whose outcome is recorded', 'FR-04'],
  ['engine.live-equals-recovered', 'A run recovered at any point ends as the uninterrupted one', 'DESIGN §7'],
  [
    'engine.interrupted-goes-to-attention',
    'An effect that must not be repeated blindly waits for a decision after a crash',
    'DESIGN §2',
  ],
  ['engine.stable-idempotency-key', 'Every attempt of an effect carries the same idempotency key', 'FR-10'],
  [
    'engine.child-failure-is-failure',
    'A child workflow that fails after a pause fails its caller with the cause',
    'FR-08',
  ],
  ['engine.one-call-per-branch', 'A second runtime call in one branch is refused', 'DESIGN §2'],
  ['engine.stays-responsive', 'Pure work yields to the event loop, so a run can be cancelled', 'DESIGN §2'],
  [
    'engine.snapshot-continues',
    'A run started from a snapshot goes on behind it with the recorded values',
    'steps seed, 実行の再開',
  ],
];
