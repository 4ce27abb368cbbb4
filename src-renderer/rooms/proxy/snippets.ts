export const snippetKinds = ['env', 'curl', 'python', 'node'] as const
export type SnippetKind = (typeof snippetKinds)[number]

const writers: Record<SnippetKind, (baseUrl: string, key: string, model: string) => string> = {
  env: (baseUrl, key) => `export OPENAI_BASE_URL="${baseUrl}"\nexport OPENAI_API_KEY="${key}"`,
  curl: (baseUrl, key, model) => `curl -N ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }).replaceAll("'", "'\\''")}'`,
  python: (baseUrl, key, model) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)`,
  node: (baseUrl, key, model) => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })
const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`,
}

/** A set-up that works when pasted: `baseUrl` ends in `/v1`, `key` is a tool's key or a placeholder. */
export const snippet = (kind: SnippetKind, baseUrl: string, key: string, model: string): string =>
  writers[kind](baseUrl, key, model)
