import './transcribe.css'
import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { useRoute } from '../../stores/route.ts'
import { followRoom, openRecording, startTranscribe } from './actions.ts'
import { offerTranscribeCommands } from './commands.ts'
import { TranscribeInspector } from './Inspector.tsx'
import { TranscribeList } from './List.tsx'
import { finishLeftOpen } from './record.ts'
import { TranscribeStage } from './Stage.tsx'

/** Starts the room once for the window: what records or comes up goes on while another room is shown. */
export function TranscribeLive() {
  const studio = useStudio()
  useEffect(() => {
    const ends = [startTranscribe(studio), offerTranscribeCommands()]
    void finishLeftOpen()
    return () => {
      for (const end of ends) end()
    }
  }, [studio])
  const { page: room, id } = useRoute()
  useEffect(() => {
    if (room !== 'transcribe') return
    followRoom()
    openRecording(id)
  }, [room, id])
  return null
}

export const transcribeRoom: PageRegions = {
  List: TranscribeList,
  Stage: TranscribeStage,
  Inspector: TranscribeInspector,
}
