import { z } from 'zod'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }).optional(),
})
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.null(), z.array(part)]).optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        type: z.literal('function'),
        function: z.looseObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .optional(),
})

/** The request of POST /v1/chat/completions as the service's specification describes it. Extra parameters are allowed. */
export const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
  stop: z.array(z.string()).optional(),
  n: z.int().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.looseObject({}).optional(),
          strict: z.boolean().optional(),
        }),
      }),
    )
    .optional(),
  tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
  response_format: z.looseObject({}).optional(),
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
