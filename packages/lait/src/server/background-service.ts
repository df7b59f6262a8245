/** Something that works beside the requests for as long as the server runs: schedules, deliveries, clean-ups. */
export interface BackgroundService {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}
