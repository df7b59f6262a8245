import type { ServerConfiguration } from '../config/configuration.js';
import type { Permission } from './definitions/reach.js';
import type { ResumePolicy } from './workers/worker-pool.js';

/** How a server behaves: `server:` of lait.config.yml, completed. */
export interface ServerSettings {
  /** What definitions that came over HTTP may do with this machine. Default: nothing of it. */
  allow: readonly Permission[];
  /** Further names that clients call the server by, as `name` or `name:port`. */
  allowedHosts: readonly string[];
  /** Longest body of a request. Default 4 MiB. */
  maxBodyBytes: number;
  /** Requests a second, and how many may come at once, per token or address. */
  rateLimit: { perSecond: number; burst: number };
  /** How many runs this process works on at once; 0 serves HTTP only. Default 16. */
  concurrency: number;
  /** How many runs may be worked on in all processes together. */
  limits: { total?: number; perWorkflow?: number; workflows?: Readonly<Record<string, number>> };
  leaseMs: number;
  pollMs: number;
  resume: ResumePolicy;
  /** How long runs may go on when the server stops. Default 20 s. */
  stopGraceMs: number;
  /** Runs that ended so many days ago are removed; 0 keeps them. Default 30. */
  retentionDays: number;
  /** A sign of life on event streams after so much silence. Default 15 s. */
  heartbeatMs: number;
  /** A token is needed on a loopback address, too. Default false. */
  requireToken: boolean;
  /** Hosts with private addresses that webhooks may be sent to. Default: none. */
  webhookPrivateHosts: readonly string[];
  /** Base address of an OpenTelemetry collector. */
  otlp?: string;
}

export const defaultServerSettings: ServerSettings = {
  allow: [],
  allowedHosts: [],
  maxBodyBytes: 4 * 1024 * 1024,
  rateLimit: { perSecond: 200, burst: 1000 },
  concurrency: 16,
  limits: {},
  leaseMs: 30_000,
  pollMs: 1000,
  resume: 'automatic',
  stopGraceMs: 20_000,
  retentionDays: 30,
  heartbeatMs: 15_000,
  requireToken: false,
  webhookPrivateHosts: [],
};

/** The settings that a configuration comes to. */
export function serverSettings(configured: ServerConfiguration = {}): ServerSettings {
  const { limits, rate_limit: rate } = configured;
  const given: { [Key in keyof ServerSettings]: ServerSettings[Key] | undefined } = {
    allow: configured.allow,
    allowedHosts: configured.allowed_hosts,
    maxBodyBytes: configured.max_body_bytes,
    rateLimit: rate && { perSecond: rate.per_second, burst: rate.burst },
    concurrency: configured.concurrency,
    limits: limits && {
      ...(limits.total !== undefined && { total: limits.total }),
      ...(limits.per_workflow !== undefined && { perWorkflow: limits.per_workflow }),
      ...(limits.workflows !== undefined && { workflows: limits.workflows }),
    },
    leaseMs: inMilliseconds(configured.lease_seconds),
    pollMs: undefined,
    resume: configured.resume,
    stopGraceMs: inMilliseconds(configured.stop_grace_seconds),
    retentionDays: configured.retention_days,
    heartbeatMs: undefined,
    requireToken: configured.require_token,
    webhookPrivateHosts: configured.webhook_private_hosts,
    otlp: configured.otlp,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultServerSettings, ...Object.fromEntries(set) };
}

function inMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
