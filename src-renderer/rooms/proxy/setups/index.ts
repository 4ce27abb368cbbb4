<<<<<<< HEAD
import { agents } from './agents.ts'
import { editors } from './editors.ts'
import { libraries } from './libraries.ts'
import type { Setup } from './setup.ts'

export type { Facts, Setup, SetupStep } from './setup.ts'

/** In the order in which they are offered. Ids are unique. */
export const setups: Setup[] = [...agents, ...editors, ...libraries]
=======
export interface SetupFacts {
  baseUrl: string
  key: string
  model: string
}

export interface SetupStep {
  about: string
  language: 'sh' | 'json' | 'toml' | 'python' | 'ts' | 'yaml' | 'text'
  file?: string
  text: string
}

export interface Setup {
  id: string
  name: string
  kind: 'agent' | 'editor' | 'library' | 'shell'
  steps(facts: SetupFacts): SetupStep[]
  note?: string
}

/** Texts that work when pasted: `baseUrl` ends in `/v1`, `key` is a tool's key or a placeholder. */
export const setups: Setup[] = [
  {
    id: 'env',
    name: 'Environment',
    kind: 'shell',
    steps: ({ baseUrl, key }) => [
      {
        about: 'For any tool that reads these variables',
        language: 'sh',
        text: `export OPENAI_BASE_URL="${baseUrl}"\nexport OPENAI_API_KEY="${key}"`,
      },
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    kind: 'shell',
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'One streamed reply',
        language: 'sh',
        text: `curl -N ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }).replaceAll("'", "'\\''")}'`,
      },
    ],
  },
  {
    id: 'python',
    name: 'Python (openai)',
    kind: 'library',
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'One streamed reply',
        language: 'python',
        file: 'hello.py',
        text: `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)`,
      },
    ],
  },
  {
    id: 'node',
    name: 'Node (openai)',
    kind: 'library',
    steps: ({ baseUrl, key, model }) => [
      {
        about: 'One streamed reply',
        language: 'ts',
        file: 'hello.mjs',
        text: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })
const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`,
      },
    ],
  },
]
>>>>>>> room
