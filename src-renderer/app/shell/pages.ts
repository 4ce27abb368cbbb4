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
import { chatPage } from '../../features/chat/index.tsx'
import { imagesPage } from '../../features/images/index.tsx'
import { keysPage } from '../../features/keys/index.tsx'
import { proxyPage } from '../../features/proxy/index.tsx'
import { settingsPage } from '../../features/settings/index.tsx'
import { speechPage } from '../../features/speech/index.tsx'
import { transcriptionPage } from '../../features/transcription/index.tsx'
import { usagePage } from '../../features/usage/index.tsx'
import type { TextGroup } from '../../i18n/groups.ts'
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

/** Groups of texts that a page shows beside those of every page. */
export const pageTexts: Record<PageName, readonly TextGroup[]> = {
  chat: [],
  transcribe: ['media'],
  speech: ['media'],
  images: ['media'],
  usage: ['usage'],
  keys: ['usage'],
  proxy: ['proxy'],
  settings: ['settings'],
}

export const pageViews: Record<PageName, PageRegions> = {
  chat: chatPage,
  transcribe: transcriptionPage,
  speech: speechPage,
  images: imagesPage,
  usage: usagePage,
  keys: keysPage,
  proxy: proxyPage,
  settings: settingsPage,
}
