import { callAll } from '../../shared/callAll.ts'
import '../../shared/audio/wave.css'
import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { useRoute } from '../../stores/route.ts'
import { useSpeech } from '../../stores/speech.ts'
import { openSpeech, startSpeech } from './actions.ts'
import { offerSpeechCommands } from './commands.ts'
import { SpeechInspector } from './Inspector.tsx'
import { SpeechList } from './List.tsx'
import { SpeechStage } from './Stage.tsx'

/** Starts the feature once per window: live playback continues on other pages. */
export function SpeechSubscriptions() {
  const studio = useStudio()
  useEffect(() => {
    const ends = [startSpeech(studio), offerSpeechCommands()]
    return () => callAll(ends)
  }, [studio])
  const { page, id } = useRoute()
  useEffect(() => {
    if (page === 'speech') openSpeech(id)
  }, [page, id])
  return null
}

export const speechPage: PageRegions = {
  List: SpeechList,
  Stage: SpeechStage,
  Inspector: SpeechInspector,
  inspectorOnDemand: true,
  inspectorContent: {
    subscribe: useSpeech.subscribe,
    isThere: () => (useSpeech.getState().open?.detail ?? null) !== null,
  },
}
