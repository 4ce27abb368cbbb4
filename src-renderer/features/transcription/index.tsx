import { callAll } from '../../shared/callAll.ts'
import './transcribe.css'
import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { useRoute } from '../../stores/route.ts'
import { followPage, openRecording, startTranscribe } from './actions.ts'
import { offerTranscribeCommands } from './commands.ts'
import { TranscribeInspector } from './Inspector.tsx'
import { TranscribeList } from './List.tsx'
import { finishLeftOpen } from './record.ts'
import { transcribeOffered } from './requests.ts'
import { TranscribeStage } from './Stage.tsx'

/** Starts the feature once per window: recordings and uploads continue on other pages. */
export function TranscriptionSubscriptions() {
  const studio = useStudio()
  useEffect(() => {
    const ends = [startTranscribe(studio), offerTranscribeCommands(), transcribeOffered()]
    void finishLeftOpen()
    return () => callAll(ends)
  }, [studio])
  const { page, id } = useRoute()
  useEffect(() => {
    if (page !== 'transcribe') return
    followPage()
    openRecording(id)
  }, [page, id])
  return null
}

export const transcriptionPage: PageRegions = {
  List: TranscribeList,
  Stage: TranscribeStage,
  Inspector: TranscribeInspector,
}
