import type { FindingCode } from '../scenario/finding-codes.js';
import { type CommandEnd, stopSignals } from './command-end.js';
import { failureReason } from './failure-reason.js';
import { codesOf, type Finding } from './finding.js';
import type { Verdict } from './judge-run.js';
import { busyMark, isBusy } from './lag.js';

/**
 * Reason other than a finding of the judge why a run failed: a timeout, a failed client command, or an inconclusive
 * verdict.
 */
export interface RunFailure {
  code: 'timeout' | 'command' | 'inconclusive';
  /** Description of the failure in one sentence. */
  text: string;
}

/** A verdict with the other results of a run, from which all reports are made. */
export interface RunResult extends Verdict {
  /** Exit code for the run: 0 if neither a finding of the judge nor another failure fails the run. */
  exitCode: number;
  /** Title of a report. Separates the client's verdict from other failures: `PASS (client), command failed`. */
  headline: string;
  failures: RunFailure[];
  /** End of the client's command, if a command was run. */
  command?: CommandEnd;
  /**
   * Description of the scenario, as an explanation of the client's failure. Set only if the client failed and the
   * scenario has the field `expect`.
   */
  about?: string;
  /** Sentences about missing parts of a recording. */
  notes?: readonly string[];
}

export interface ResultOptions {
  /**
   * Codes of the findings that fail the run; other findings only warn. Default: as the rules and the scenario decide.
   */
  failOn?: readonly FindingCode[] | undefined;
  /** Whether an inconclusive verdict fails the run. */
  mustConclude?: boolean | undefined;
  command?: CommandEnd | undefined;
  /** Timeout of the command as the user typed it, for messages. */
  timeout?: string | undefined;
  /** Description of a scenario with the field `expect`, which the report of a failed run shows. */
  description?: string | undefined;
}

/** Exit code of a command that was stopped after its timeout, like the exit code of timeout(1). */
const timedOutCode = 124;

/** Determines the exit code, the title and the failures of a run from its verdict. */
export function resultOf(judged: Verdict, options: ResultOptions): RunResult {
  const { failOn, mustConclude = false, command, timeout = '', description } = options;
  const verdict = failOn === undefined ? judged : failingOn(judged, failOn);
  const failures: RunFailure[] = [];
  if (command?.stoppedBy === 'timeout') {
    failures.push({ code: 'timeout', text: `The command was stopped after its timeout of ${timeout}.` });
  } else if (command !== undefined && command.exitCode !== 0) {
    failures.push({ code: 'command', text: endText(command) });
  }
  if (mustConclude && (verdict.outcome === 'inconclusive' || isBusy(verdict))) {
    const why =
      verdict.lagMs === undefined || verdict.outcome === 'inconclusive'
        ? 'An inconclusive run'
        : `A run while the ${busyMark(verdict.lagMs)} counts as inconclusive, which`;
    failures.push({ code: 'inconclusive', text: `${why} is a failure with --require-conclusive.` });
  }
  const isFailed = verdict.outcome === 'fail' || failures.length > 0;
  return {
    ...verdict,
    exitCode: (command && exitCodeOf(command)) || (isFailed ? 1 : 0),
    headline: headlineOf(verdict, failures),
    failures,
    ...(command && { command }),
    ...(verdict.outcome === 'fail' && description !== undefined && { about: description }),
  };
}

/**
 * Returns the exit code of a run for the end of its command: the command's own, except after a timeout, and if the
 * command received SIGKILL because it ignored the signal that stopped petstore-sim.
 */
function exitCodeOf({ stoppedBy, signal, exitCode }: CommandEnd): number {
  if (stoppedBy === 'timeout') return timedOutCode;
  // After SIGINT, only a second Ctrl-C sends SIGKILL.
  const isKilled = signal === 'SIGKILL' && stoppedBy !== 'SIGINT';
  return stoppedBy !== undefined && isKilled ? stopSignals[stoppedBy] : exitCode;
}

const failureWords: Record<RunFailure['code'], string> = {
  timeout: 'command stopped',
  command: 'command failed',
  inconclusive: 'failed by --require-conclusive',
};

function headlineOf({ outcome }: Verdict, failures: readonly RunFailure[]): string {
  const title = outcome.toUpperCase();
  if (outcome === 'fail' || failures.length === 0) return title;
  const words = failures.map(({ code }) => failureWords[code]).join(', ');
  return `${title} (client), ${words}`;
}

function endText({ exitCode, signal, stoppedBy }: CommandEnd): string {
  if (stoppedBy !== undefined) return `The command was stopped by ${stoppedBy}; its exit code is ${exitCode}.`;
  if (signal !== undefined) return `The command was ended by ${signal}; its exit code is ${exitCode}.`;
  return `The command ended with exit code ${exitCode}.`;
}

/** Changes a verdict so that findings with the given codes fail and all other findings do not. */
function failingOn(verdict: Verdict, failOn: readonly FindingCode[]): Verdict {
  const findings = verdict.findings.map((found): Finding => {
    if (found.severity === 'praise') return found;
    if (failOn.includes(found.code)) return { ...found, severity: 'fail' };
    return found.severity === 'fail' ? { ...found, severity: 'warn' } : found;
  });
  const failed = findings.filter(({ severity }) => severity === 'fail');
  const sorted = [...failed, ...findings.filter((found) => !failed.includes(found))];
  return { ...verdict, findings: sorted, ...outcomeOf(verdict, failed, failOn) };
}

function outcomeOf(
  { outcome, reason, findings, exercised }: Verdict,
  failed: readonly Finding[],
  failOn: readonly FindingCode[],
): Pick<Verdict, 'outcome' | 'reason'> {
  if (failed.length > 0) return { outcome: 'fail', reason: failureReason(codesOf(failed)) };
  if (outcome !== 'fail') return { outcome, reason };
  const leftOut = codesOf(findings.filter(({ severity }) => severity === 'fail')).join(', ');
  const isTested = failOn.some((code) => exercised.includes(code));
  return isTested
    ? { outcome: 'pass', reason: `The client passed the rules of --fail-on, but see ${leftOut}.` }
    : { outcome: 'inconclusive', reason: `Nothing put ${failOn.join(', ')} to the test, but see ${leftOut}.` };
}
