import type { Message } from '../../../../src-preload/contract/chat.ts'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { type FactsById, useModelFacts } from '../../../stores/modelFacts.ts'
import { loadModelFacts } from '../actions.ts'

/** Inputs that only some models accept (specification, CHAT-20). The core records for each connection which model refused one. */
export type Able = 'images' | 'tools'

/** Reads the recorded facts again once for each failed reply at the end of the open chat. Returns the function that stops it. */
export function followRefusals(): () => void {
  let known: string | null = null
  return useChat.subscribe(({ open }, before) => {
    const last = open === before.open ? undefined : open?.messages.at(-1)
    if (last?.status !== 'failed' || last.id === known) return
    known = last.id
    void loadModelFacts()
  })
}

/** The first of the models that refused such an input before, or null. */
export const refusingModel = (models: readonly string[], able: Able, facts: FactsById): string | null =>
  models.find((model) => facts.get(model)?.[able] === 'refused') ?? null

/** The first of the selected models that refused such an input before, or null. */
export function useKnownRefusal(able: Able): string | null {
  const facts = useModelFacts((store) => store.facts)
  return useChat((state) => refusingModel(modelsToAsk(state), able, facts))
}

/** Whether a request about this path contains images. `until`: the last message that the request contains; default: all. */
export function holdsImages(path: readonly Message[], until: string | null = null): boolean {
  const end = until === null ? -1 : path.findIndex(({ id }) => id === until)
  const sent = end === -1 ? path : path.slice(0, end + 1)
  return sent.some(({ attachments }) => attachments.length > 0)
}

/**
 * Runs `run`. Asks first if the request contains images and one of its models refused images before. Just after the window was opened this
 * waits until that is known.
 */
export function askIfImagesRefused(models: readonly string[], hasImages: boolean, run: () => void): void {
  const decide = (): void => {
    const model = hasImages ? refusingModel(models, 'images', useModelFacts.getState().facts) : null
    if (model === null) run()
    else useStage.setState({ dialog: { kind: 'refusedImages', model, run } })
  }
  if (hasImages && !useModelFacts.getState().isLoaded) void loadModelFacts().then(decide)
  else decide()
}
