import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentsInPrompt,
  expandTemplate,
  templateVariables,
  toolsInPrompt,
  unknownVariablesIn,
  withoutVariables,
} from '../src/agent/template.ts';
import { templateListBytesMax } from '../src/text/bounds.ts';

const values = {
  agent_name: 'Support',
  agent_description: 'Answers questions',
  prompt: 'Where is my order?',
  available_tools: '- **get**: Gets',
  allowed_agents: '- **billing**: Bills',
};

describe('variables of a prompt', () => {
  test.each<[string, string]>([
    ['{{agent_name}}, {{agent_name}}', 'Support, Support'],
    ['{{agent_description}}|{{prompt}}', 'Answers questions|Where is my order?'],
    ['{{available_tools}}\n{{allowed_agents}}', '- **get**: Gets\n- **billing**: Bills'],
    ['{{ prompt }}', 'Where is my order?'],
    ['{{{prompt}}}', '{Where is my order?}'],
    ['{{customer}} and {{Prompt}}', '{{customer}} and {{Prompt}}'],
    ['{{constructor}} {{__proto__}}', '{{constructor}} {{__proto__}}'],
    ['{{prompt}', '{{prompt}'],
    ['{prompt}', '{prompt}'],
    ['{order} of {{prompt}}, {other}', '7 of Where is my order?, {other}'],
  ])('%s', (template, expected) => {
    expect(expandTemplate(template, values, (key) => (key === 'order' ? '7' : undefined))).toBe(expected);
  });

  test('what is put in is not looked at again', () => {
    const all = '{{agent_name}} {{prompt}} {order} $& $1';
    const said = Object.fromEntries(templateVariables.map((name) => [name, all])) as typeof values;
    expect(expandTemplate('<{{prompt}}><{order}>', said, () => all)).toBe(`<${all}><${all}>`);
  });

  test('a key of session state is not found inside of a variable', () => {
    expect(expandTemplate('{{prompt}} {{customer}}', values, () => 'state')).toBe('Where is my order? {{customer}}');
  });

  test('placeholders are looked for in what is left', () => {
    expect(withoutVariables('{{prompt}} {order} {{ customer }}{a}')).toBe(' {order} {a}');
  });

  test('names that are no variables are found where they stand', () => {
    expect(unknownVariablesIn('{{prompt}} {{promt}} {order}\n{{ x }}')).toEqual([
      { name: 'promt', offset: 11 },
      { name: 'x', offset: 29 },
    ]);
  });

  test('any text expands to itself if it has no braces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = text.replaceAll('{', '');
        expect(expandTemplate(plain, values, () => 'x')).toBe(plain);
      }),
    );
  });
});

describe('lists in a prompt', () => {
  const agent = (name: string, more = {}) => ({ name, description: 'Bills', examples: [], isExternal: false, ...more });

  test('agents', () => {
    const agents = [
      agent('support/billing', { examples: ['Refund an order', 'Send an invoice'] }),
      agent('external/legal', { isExternal: true }),
    ];
    expect(agentsInPrompt(agents)).toBe(
      '- **support/billing**: Bills\n  Examples: Refund an order, Send an invoice\n- **external/legal (external)**: Bills\n  Examples: General tasks',
    );
    expect(agentsInPrompt([])).toBe('');
  });

  test('tools', () => {
    expect(
      toolsInPrompt([
        { name: 'get', description: 'Gets' },
        { name: 'set', description: 'Sets' },
      ]),
    ).toBe('- **get**: Gets\n- **set**: Sets');
  });

  test('what does not fit is counted', () => {
    const large = agent('large', { description: 'é'.repeat(templateListBytesMax / 4) });
    const text = agentsInPrompt([agent('first'), large, large, agent('last')]);
    expect(text.startsWith('- **first**')).toBe(true);
    expect(text.match(/\*\*large\*\*/g)).toHaveLength(1);
    expect(text.endsWith('\n- and 2 more')).toBe(true);
  });
});
