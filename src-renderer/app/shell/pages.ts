import {
  AudioLines,
  ChartNoAxesColumn,
  Images,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  Mic,
  Settings,
  Waypoints,
} from 'lucide-react'
import { chatProcedures } from '../../features/chat/index.tsx'
import { imagesProcedures } from '../../features/images/index.tsx'
import { keysProcedures } from '../../features/keys/index.tsx'
import { proxyPage } from '../../features/proxy/index.tsx'
import { settingsPage } from '../../features/settings/index.tsx'
import { speechProcedures } from '../../features/speech/index.tsx'
import { transcriptionProcedures } from '../../features/transcription/index.tsx'
import { usageProcedures } from '../../features/usage/index.tsx'
import type { PageRegions } from '../../shared/pageView.ts'
import type { PageName } from '../../stores/route.ts'

export const pageIcons: Record<PageName, LucideIcon> = {
  chat: MessageSquare,
  speech: AudioLines,
  transcribe: Mic,
  images: Images,
  usage: ChartNoAxesColumn,
  keys: KeyRound,
  proxy: Waypoints,
  settings: Settings,
}

export const pageViews: Record<PageName, PageRegions> = {
  chat: chatProcedures,
  transcribe: transcriptionProcedures,
  speech: speechProcedures,
  images: imagesProcedures,
  usage: usageProcedures,
  keys: keysProcedures,
  proxy: proxyPage,
  settings: settingsPage,
}
