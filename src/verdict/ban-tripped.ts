import { finding, type Rule } from './finding.js';

/** The client sent requests after a 429 until its key was banned. */
export const banTripped: Rule = ({ episodes }) => {
  const findings = episodes.flatMap(({ refusals }) => {
    const position = refusals.findIndex(({ refusal }) => refusal === 'ban');
    const before = refusals.slice(0, position);
    // A ban that nobody tripped stood from the start.
    if (position < 1 || (before.every(({ strikes }) => strikes === 0) && refusals[position]?.strikes === 0)) return [];
    const tripping = [...before.filter(({ strikes }) => strikes > 0), refusals[position]].filter(
      (each) => each !== undefined,
    );
    return [
      finding('ban-tripped', 'fail', tripping, {
        measured: `${tripping.at(-1)?.strikes} strikes`,
        allowed: '0 strikes',
        text: `Went on after a 429 until the key was banned; request ${tripping.at(-1)?.id} was the last strike. After a 429, send nothing with this key until Retry-After has passed.`,
      }),
    ];
  });
  return { exercised: episodes.length > 0, findings };
};
