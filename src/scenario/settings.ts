import type { LimitSettings } from '../rate-limits/settings.js';
import type { ErrorCode } from '../requests/error-codes.js';

/** Values of the Error field `code` that replace the defaults. */
export type ErrorCodeNames = Partial<Record<ErrorCode, string>>;

/** Origins of pages that may call the HTTP server. */
export type AllowedOrigins = 'loopback' | 'hidden' | 'off' | readonly string[];

/** Settings of a simulator: one value per assumption. The main service adds its own by declaration merging. */
export interface Settings extends LimitSettings {
  errorCodes: ErrorCodeNames;
  cors: AllowedOrigins;
}

export type AssumptionId = keyof Settings;
