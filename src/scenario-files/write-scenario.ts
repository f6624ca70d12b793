import { Document, isMap, isScalar, visit } from 'yaml';
import type { Scenario } from '../scenario/scenario-schema.js';

/** Paths of scenario parts that are written in one line: a pet, a key, a window. */
const inOneLine = /^(?:pets\.\d+|keys\.[^.]+|ids|clock|state\.(?:keys\.[^.]+|unlistedKeys\.\d+|faults)\.[^.]+)$/;

/**
 * Formats a scenario as YAML.
 * @param comment text of the comment at the top
 */
export function scenarioYaml(scenario: Scenario, comment: string): string {
  const document = new Document(scenario, { version: '1.2' });
  document.commentBefore = comment.replace(/^/gm, ' ');
  visit(document, {
    Collection(_, node, path) {
      const steps = path.flatMap((each) => ('key' in each && isScalar(each.key) ? [String(each.key.value)] : []));
      const parent = path.at(-1);
      if (!isMap(parent) && parent !== undefined && 'items' in parent) steps.push(String(parent.items.indexOf(node)));
      if (inOneLine.test(steps.join('.'))) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
