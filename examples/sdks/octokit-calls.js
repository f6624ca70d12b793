const issue = { owner: 'o', repo: 'r' };

/** Calls of an Octokit. */
export const calls = ({ rest: { issues } }) => ({
  read: () => issues.get({ ...issue, issue_number: 1 }),
  write: () => issues.create({ ...issue, title: 'Hello' }),
});
