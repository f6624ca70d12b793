import type { LimitSettings } from '../rate-limits/settings.js';
import type { ErrorCode } from '../requests/error-codes.js';

/** Map from a default error code to the replacement that responses contain in the field `code`. */
export type ErrorCodeNames = Partial<Record<ErrorCode, string>>;

/** Origins of web pages that may call the HTTP server (CORS). */
export type AllowedOrigins = 'loopback' | 'hidden' | 'off' | readonly string[];

/**
 * Settings of a simulator for API behavior that the documentation leaves open, one setting per choice. The simulated
 * API (the Petstore) adds its own settings by TypeScript declaration merging.
 */
export interface Settings extends LimitSettings {
  errorCodes: ErrorCodeNames;
  cors: AllowedOrigins;
  /** Response to a method that the path lacks. */
  unknownMethod: 'method-not-allowed' | 'not-found';
}

export type SettingId = keyof Settings;
