import { z } from 'zod'

const contentPart = z.object({
  type: z.enum(['text', 'image_url']),
  text: z.string().optional(),
  image_url: z.object({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }).optional(),
})
const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const message = z.strictObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.null(), z.array(contentPart)]),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCall).min(1).optional(),
  reasoning_content: z.string().optional(),
})
const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().optional(),
  }),
})

/** The request of POST /v1/chat/completions as the specification has it, and the extra parameters that the translations send. */
export const chatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stop: z.array(z.string()).optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  response_format: z.record(z.string(), z.unknown()).optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning_effort: z.string().optional(),
  verbosity: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  safety_identifier: z.string().optional(),
  service_tier: z.string().optional(),
  user: z.string().optional(),
})

/** What is wrong with the tool calls of a chat request: each must be followed directly by exactly its results. Null if nothing is. */
export function toolOrderProblem(messages: z.infer<typeof message>[]): string | null {
  let expected: string[] = []
  for (const [index, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (tool_call_id === undefined || !expected.includes(tool_call_id)) return `messages[${index}] has no call`
      expected = expected.filter((id) => id !== tool_call_id)
    } else if (expected.length > 0) return `messages[${index}] comes before the results of ${expected.join()}`
    if (tool_calls !== undefined) expected = tool_calls.map(({ id }) => id)
  }
  return expected.length > 0 ? `${expected.join()} without a result` : null
}
