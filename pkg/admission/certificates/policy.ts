const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long things last. Renewal comes after two thirds of a life. */
export interface CertificatePolicy {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** Certificates begin so long before they are made: clocks differ. */
  readonly backdateMs: number;
  /** From the new bundle being in all webhook configurations until every API server goes by it. */
  readonly settleMs: number;
  /** From a new serving certificate until every replica has surely taken it up. */
  readonly retireMs: number;
}

export const DEFAULT_POLICY: CertificatePolicy = {
  authorityMs: 3650 * DAY_MS,
  servingMs: 90 * DAY_MS,
  backdateMs: HOUR_MS,
  settleMs: MINUTE_MS,
  retireMs: HOUR_MS,
};
