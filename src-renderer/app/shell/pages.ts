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
import { chatRoom } from '../../features/chat/index.tsx'
import { imagesRoom } from '../../features/images/index.tsx'
import { keysRoom } from '../../features/keys/index.tsx'
import { proxyRoom } from '../../features/proxy/index.tsx'
import { settingsRoom } from '../../features/settings/index.tsx'
import { speechRoom } from '../../features/speech/index.tsx'
import { transcribeRoom } from '../../features/transcription/index.tsx'
import { usageRoom } from '../../features/usage/index.tsx'
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
  chat: chatRoom,
  transcribe: transcribeRoom,
  speech: speechRoom,
  images: imagesRoom,
  usage: usageRoom,
  keys: keysRoom,
  proxy: proxyRoom,
  settings: settingsRoom,
}
