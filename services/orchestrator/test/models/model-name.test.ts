import { describe, expect, test } from 'vitest';
import { resolveModel } from '../../src/models/model-name.ts';

const known = '(known: google, anthropic, openai, mistral, groq, openrouter, ollama)';

describe('a model name', () => {
  test.each([
    ['gpt-5', 'openai:gpt-5'],
    ['gpt-4o-mini', 'openai:gpt-4o-mini'],
    ['o3', 'openai:o3'],
    ['o4-mini', 'openai:o4-mini'],
    ['chatgpt-4o-latest', 'openai:chatgpt-4o-latest'],
    ['mistral-large-latest', 'mistral:mistral-large-latest'],
    ['openai/gpt-oss-120b', 'openrouter:openai/gpt-oss-120b or groq:openai/gpt-oss-120b'],
    ['qwen3', 'ollama:qwen3, groq:qwen3 or openrouter:qwen3'],
  ])('%s without a provider is refused with what to write', (name, written) => {
    expect(resolveModel(name)).toEqual({
      kind: 'refused',
      problem: `model "${name}" does not say its provider: write ${written}`,
    });
  });

  test.each(['gemini-2.5-flash', 'gemma-3-27b-it', 'models/gemini-2.5-pro', 'tunedModels/mine', 'm', 'gpt', 'octopus'])(
    '%s is asked of Gemini',
    (model) => {
      expect(resolveModel(model)).toEqual({ kind: 'supported', provider: 'gemini', model });
    },
  );

  test.each([
    ['acme:x', `unknown LLM provider: "acme" ${known}`],
    ['gemini:gemini-2.5-pro', `unknown LLM provider: "gemini" ${known}, did you mean google:gemini-2.5-pro?`],
    ['claude:opus', `unknown LLM provider: "claude" ${known}, did you mean anthropic:opus?`],
    ['OpenAI:gpt-5', `unknown LLM provider: "OpenAI" ${known}, did you mean openai:gpt-5?`],
    ['qwen3:8b', `unknown LLM provider: "qwen3" ${known}, a model of Ollama is written ollama:qwen3:8b`],
  ])('%s names a provider that is not known: those that are get listed', (name, problem) => {
    expect(resolveModel(name)).toEqual({ kind: 'refused', problem });
  });

  test('with a prefix is what the provider calls it', () => {
    expect(resolveModel('google:gpt-5')).toEqual({ kind: 'supported', provider: 'gemini', model: 'gpt-5' });
    expect(resolveModel('ollama:qwen3:8b')).toEqual({ kind: 'supported', provider: 'ollama', model: 'qwen3:8b' });
  });
});
