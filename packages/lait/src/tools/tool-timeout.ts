/** What `withDeadline` says about something that takes too long; `what` names it. */
export function toolTimeout(what: string, seconds: number) {
  return { code: 'tool_timeout', message: `${what} took longer than ${seconds} s` };
}
