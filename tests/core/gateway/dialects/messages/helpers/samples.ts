import type { JsonObject } from '../../../../../../src-main/core/gateway/dialects/types.ts'
import { request } from './streams.ts'

/** A request with the feature of a row, and the same request without it or with another value. */
interface Sample {
  present: JsonObject
  absent: JsonObject
}

const field = (changes: JsonObject, without: JsonObject = {}): Sample => ({
  present: request(changes),
  absent: request(without),
})
const text = (value: string) => ({ type: 'text', text: value })
const user = (...content: unknown[]) => ({ role: 'user', content })
const says = (block: unknown, ...others: unknown[]): JsonObject => ({ messages: [user(text('hi'), block, ...others)] })
/** A block of a user message. */
const inUser = (block: JsonObject, without?: JsonObject): Sample =>
  field(says(block), without === undefined ? { messages: [user(text('hi'))] } : says(without))
const replied = (...content: unknown[]) => ({
  messages: [user(text('a')), { role: 'assistant', content }, user(text('b'))],
})
/** A block of an assistant message. */
const inAssistant = (block: JsonObject, without?: JsonObject): Sample =>
  field(replied(text('x'), block), without === undefined ? replied(text('x')) : replied(text('x'), without))
const instructed = (...content: unknown[]) => ({ messages: [user(text('a')), { role: 'system', content }] })
const tool = { name: 'read', input_schema: { type: 'object' } }
const ofTool = (changes: JsonObject): Sample => field({ tools: [{ ...tool, ...changes }] }, { tools: [tool] })
const choice = (tool_choice: JsonObject, without?: JsonObject): Sample =>
  field({ tools: [tool], tool_choice }, { tools: [tool], ...(without === undefined ? {} : { tool_choice: without }) })

const use = { type: 'tool_use', id: 'a', name: 'read', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a' }
const turn = (call: JsonObject, answer: JsonObject): JsonObject => ({
  messages: [user(text('a')), { role: 'assistant', content: [call] }, user(answer)],
})
const ofUse = (changes: JsonObject, without: JsonObject = {}): Sample =>
  field(turn({ ...use, ...changes }, result), turn({ ...use, ...without }, result))
const ofResult = (changes: JsonObject): Sample => field(turn(use, { ...result, ...changes }), turn(use, result))

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const plain = { type: 'text', media_type: 'text/plain', data: 'abc' }
const document = (source: unknown, changes: JsonObject = {}): JsonObject => ({ type: 'document', source, ...changes })
const found = { type: 'search_result', title: 't', source: 's', content: [text('c')] }
const summary = { type: 'compaction', content: 'summary' }
const format = { type: 'json_schema', schema: { type: 'object' } }
const other = { type: 'json_schema', schema: {} }
const change = (type: string, reference: JsonObject) => ({ type, tool: reference })
/** A `tool_addition` or `tool_removal` in a system message, with a tool that it may refer to. */
const changing = (type: string, reference: JsonObject, before: unknown[] = []): Sample => ({
  present: request({ tools: [tool], ...instructed(text('s'), ...before, change(type, reference)) }),
  absent: request({ tools: [tool], ...instructed(text('s'), ...before) }),
})
const definition = { type: 'tool_definition', definition: { ...tool, name: 'write' } }
const reference = { type: 'tool_reference', name: 'read' }
const mcpTool = { type: 'mcp_tool_reference', name: 'x', server_name: 's' }
const mcpToolset = { type: 'mcp_toolset_reference', server_name: 's' }
const effort = (value: string) => field({ output_config: { effort: value } })
const thinking = (value: JsonObject) => field({ thinking: value })
const enabled = { type: 'enabled', budget_tokens: 2_000 }
const cache_control = { type: 'ephemeral' }

/** Samples of the rows about fields and tools, by name. */
const fieldSamples: Record<string, Sample> = {
  model: field({ model: 'other' }),
  messages: field({ messages: [user(text('other'))] }),
  max_tokens: field({ max_tokens: 7 }),
  system: field({ system: 'Be brief.' }),
  stream: field({ stream: true }),
  temperature: field({ temperature: 0.5 }),
  top_p: field({ top_p: 0.5 }),
  top_k: field({ top_k: 5 }),
  stop_sequences: field({ stop_sequences: ['END'] }),
  tools: field({ tools: [tool] }),
  tool_choice: choice({ type: 'any' }),
  thinking: thinking(enabled),
  output_config: field({ output_config: { effort: 'low' } }),
  output_format: field({ output_format: format }),
  metadata: field({ metadata: { user_id: 'u' } }),
  cache_control: field({ cache_control }),
  context_management: field({ context_management: { edits: [] } }),
  container: field({ container: 'c' }),
  mcp_servers: field({ mcp_servers: [{ type: 'url', name: 'NAME', url: 'https://x.example' }] }),
  service_tier: field({ service_tier: 'auto' }),
  speed: field({ speed: 'fast' }),
  inference_geo: field({ inference_geo: 'eu' }),
  billing_policy: field({ billing_policy: { type: 'billing_policy' } }),
  diagnostics: field({ diagnostics: { previous_message_id: 'msg_0' } }),
  fallbacks: field({ fallbacks: 'default' }),
  fallback_credit_token: field({ fallback_credit_token: 'x' }),
  betas: field({ betas: ['x'] }),
  user_profile_id: field({ user_profile_id: 'x' }),
  workspace_id: field({ workspace_id: 'x' }),
  compaction: field({ compaction: { type: 'summarize' } }),
  thread: field({ thread: { type: 'create' } }),
  'thinking.type: enabled': thinking(enabled),
  'thinking.budget_tokens': field({ thinking: { ...enabled, budget_tokens: 60_000 } }, { thinking: enabled }),
  'thinking.type: adaptive': thinking({ type: 'adaptive' }),
  'thinking.type: between_tools': thinking({ type: 'between_tools' }),
  'thinking.type: disabled': thinking({ type: 'disabled' }),
  'thinking.display': field({ thinking: { ...enabled, display: 'omitted' } }, { thinking: enabled }),
  'thinking.block_binding': field({ thinking: { ...enabled, block_binding: {} } }, { thinking: enabled }),
  'output_config.effort': effort('low'),
  'output_config.effort: low': effort('low'),
  'output_config.effort: medium': effort('medium'),
  'output_config.effort: high': effort('high'),
  'output_config.effort: xhigh': effort('xhigh'),
  'output_config.effort: max': effort('max'),
  'output_config.format': field({ output_config: { format } }),
  'output_config.format.type': field({ output_config: { format } }),
  'output_config.format.schema': field({ output_config: { format } }, { output_config: { format: other } }),
  'output_config.task_budget': field({ output_config: { task_budget: { type: 'tokens', total: 9 } } }),
  'messages[].role': field({ messages: [{ role: 'system', content: 'hi' }] }),
  'messages[].role: user': field({ messages: [user(text('a')), user(text('b'))] }, { messages: [user(text('a'))] }),
  'messages[].role: assistant': inAssistant(text('y')),
  'messages[].role: system': field(instructed(text('s')), { messages: [user(text('a'))] }),
  'messages[].role: developer': field({ messages: [user(text('a')), { role: 'developer', content: 'd' }] }),
  'messages[].content': field({ messages: [user(text('other'))] }),
  'messages[].clear_at': field(
    { messages: [{ role: 'system', content: 's', clear_at: 'next_user_message' }, user(text('a'))] },
    { messages: [{ role: 'system', content: 's' }, user(text('a'))] },
  ),
  'messages[].output_config': field(
    { messages: [user(text('a')), { role: 'system', content: 's', output_config: { effort: 'low' } }] },
    { messages: [user(text('a')), { role: 'system', content: 's' }] },
  ),
  prefill: {
    present: request({ messages: [user(text('a')), { role: 'assistant', content: 'The' }] }),
    absent: request(),
  },
  'tools[].type: custom': field({ tools: [{ ...tool, type: 'custom' }] }),
  'tools[].name': ofTool({ name: 'write' }),
  'tools[].description': ofTool({ description: 'd' }),
  'tools[].input_schema': ofTool({ input_schema: { type: 'object', properties: {} } }),
  'tools[].strict': ofTool({ strict: true }),
  'tools[].cache_control': ofTool({ cache_control }),
  'tools[].defer_loading': ofTool({ defer_loading: true }),
  'tools[].allowed_callers': ofTool({ allowed_callers: ['direct'] }),
  'tools[].eager_input_streaming': ofTool({ eager_input_streaming: true }),
  'tools[].input_examples': ofTool({ input_examples: [{}] }),
  'tool_choice.type: auto': choice({ type: 'auto' }),
  'tool_choice.type: any': choice({ type: 'any' }),
  'tool_choice.type: tool': choice({ type: 'tool', name: 'read' }),
  'tool_choice.type: none': choice({ type: 'none' }),
  'tool_choice.name': choice({ type: 'tool', name: 'read' }),
  'tool_choice.disable_parallel_tool_use': choice({ type: 'auto', disable_parallel_tool_use: true }, { type: 'auto' }),
}

/** Samples of the rows about content blocks, by name. */
const blockSamples: Record<string, Sample> = {
  text: inUser(text('x')),
  'text.text': inUser(text('x'), text('y')),
  'text.citations': inAssistant({ ...text('y'), citations: [{ type: 'char_location' }] }, text('y')),
  image: inUser(image),
  'image.source': inUser(image),
  'image.source: base64': inUser(image),
  'image.source: url': inUser({ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }),
  'image.source: file': inUser({ type: 'image', source: { type: 'file', file_id: 'f' } }),
  'image.transformations': inUser({ ...image, transformations: { oversized_image: 'error' } }, image),
  document: inUser(document(plain)),
  'document.source': inUser(document(plain)),
  'document.source: text': inUser(document(plain)),
  'document.source: content': inUser(document({ type: 'content', content: 'abc' })),
  'document.source: base64': inUser(document({ type: 'base64', media_type: 'text/plain', data: 'YWJj' })),
  'document.source: url': inUser(document({ type: 'url', url: 'https://x.example/a.pdf' })),
  'document.source: file': inUser(document({ type: 'file', file_id: 'f' })),
  'document.title': inUser(document(plain, { title: 't' }), document(plain)),
  'document.context': inUser(document(plain, { context: 'c' }), document(plain)),
  'document.citations': inUser(document(plain, { citations: { enabled: true } }), document(plain)),
  search_result: inUser(found),
  'search_result.content': inUser(found, { ...found, content: [] }),
  'search_result.source': inUser(found, { ...found, source: 'other' }),
  'search_result.title': inUser(found, { ...found, title: 'other' }),
  'search_result.citations': inUser({ ...found, citations: { enabled: true } }, found),
  thinking: field(
    {
      messages: [
        user(text('a')),
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, use] },
        user(result),
      ],
    },
    turn(use, result),
  ),
  tool_use: field(turn(use, result)),
  'tool_use.id': field(turn({ ...use, id: 'b' }, { ...result, tool_use_id: 'b' }), turn(use, result)),
  'tool_use.name': ofUse({ name: 'write' }),
  'tool_use.input': ofUse({ input: { x: 1 } }),
  'tool_use.caller': ofUse(
    { caller: { type: 'code_execution_20260120', tool_id: 'x' } },
    { caller: { type: 'direct' } },
  ),
  'tool_use.toolset_name': ofUse({ toolset_name: 'browser' }),
  tool_result: field(turn(use, result)),
  'tool_result.tool_use_id': field(turn({ ...use, id: 'b' }, { ...result, tool_use_id: 'b' }), turn(use, result)),
  'tool_result.content': ofResult({ content: 'x' }),
  'tool_result.content: text': ofResult({ content: [text('x')] }),
  'tool_result.content: image': ofResult({ content: [image] }),
  'tool_result.content: document': ofResult({ content: [document(plain)] }),
  'tool_result.content: search_result': ofResult({ content: [found] }),
  'tool_result.content: tool_reference': ofResult({ content: [{ type: 'tool_reference', tool_name: 'x' }] }),
  'tool_result.content: browser_state': ofResult({ content: [{ type: 'browser_state', tabs: [] }] }),
  'tool_result.is_error': ofResult({ is_error: true }),
  'tool_result.toolset_name': ofResult({ toolset_name: 'browser' }),
  container_upload: inUser({ type: 'container_upload', file_id: 'f' }),
  compaction: inAssistant(summary),
  'compaction.content': inAssistant(summary, { ...summary, content: 'other' }),
  'compaction.tool_changes': inAssistant({ ...summary, tool_changes: [change('tool_addition', definition)] }, summary),
  'compaction.encrypted_content': inAssistant({ ...summary, encrypted_content: 'x' }, summary),
  'compaction.signature': inAssistant({ ...summary, signature: 'x' }, summary),
  tool_addition: changing('tool_addition', definition),
  'tool_addition.tool': changing('tool_addition', definition),
  'tool_addition.tool: tool_definition': changing('tool_addition', definition),
  'tool_addition.tool: tool_reference': changing('tool_addition', reference, [change('tool_removal', reference)]),
  'tool_addition.tool: mcp_tool_reference': changing('tool_addition', mcpTool),
  'tool_addition.tool: mcp_toolset_reference': changing('tool_addition', mcpToolset),
  tool_removal: changing('tool_removal', reference),
  'tool_removal.tool': changing('tool_removal', reference),
  'tool_removal.tool: tool_reference': changing('tool_removal', reference),
  'tool_removal.tool: mcp_tool_reference': changing('tool_removal', mcpTool),
  'tool_removal.tool: mcp_toolset_reference': changing('tool_removal', mcpToolset),
}

/** The sample of a row, or null. A tool, and a block that is only named, have one that follows from the name. */
export function sampleOf(name: string, result: string, isBlock: boolean): Sample | null {
  const samples = isBlock ? blockSamples : fieldSamples
  const own = Object.hasOwn(samples, name) ? samples[name] : undefined
  if (own !== undefined) return own
  const [, type] = /^tools\[\]\.type: (\w+)$/.exec(name) ?? []
  if (type !== undefined) return field({ tools: [{ type, name: 'x' }] })
  if (result !== 'ignored') return null
  return isBlock && /^\w+$/.test(name) ? inAssistant({ type: name, tool_use_id: 'a', content: [] }) : null
}
