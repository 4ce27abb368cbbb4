import type { Message } from '../../../src-preload/contract/chat.ts'
import { type ModelColor, modelColors } from '../../shared/ui/ModelAvatar.tsx'
import { useChat } from '../../stores/chat.ts'

/** The colours of the last list of messages, because every reply on the page asks for its own. */
let last: { settled: readonly Message[]; beside: string; colors: ReadonlyMap<string, ModelColor> } | null = null

function colorsOf(settled: readonly Message[], beside: readonly string[]): ReadonlyMap<string, ModelColor> {
  const key = beside.join('\n')
  if (last?.settled !== settled || last.beside !== key) {
    const models = settled.flatMap(({ role, model }) => (role === 'assistant' && model !== null ? [model] : []))
    last = { settled, beside: key, colors: modelColors([...models, ...beside]) }
  }
  return last.colors
}

/** The colour of a model in the open chat, which no other model of the chat has. */
export function useModelColor(model: string): ModelColor {
  return useChat(({ open }) => {
    const beside = (open?.beside ?? []).flatMap((reply) => reply.model ?? [])
    const color = open && colorsOf(open.settled, beside).get(model)
    return color ?? firstColor(model)
  })
}

/** For a name that no message has, for example "Assistant" where the model is not known. */
function firstColor(model: string): ModelColor {
  const [color] = modelColors([model]).values()
  if (!color) throw new Error('every model has a colour')
  return color
}
