const mark = String.raw`machine was busy \(lag [^)]*\)`;

/** Removes from a text the mark of a run on a busy machine, because a test does not decide how busy its machine is. */
export const withoutBusyMark = (text: string): string =>
  text.replace(new RegExp(`<system-out>${mark}</system-out>|[;,]? ${mark}`, 'g'), '');
