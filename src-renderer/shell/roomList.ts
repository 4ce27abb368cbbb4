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
import type { RoomView } from '../room.ts'
import { chatRoom } from '../rooms/chat/index.tsx'
import { imagesRoom } from '../rooms/images/index.tsx'
import { keysRoom } from '../rooms/keys/index.tsx'
import { proxyRoom } from '../rooms/proxy/index.tsx'
import { settingsRoom } from '../rooms/settings/index.tsx'
import { speechRoom } from '../rooms/speech/index.tsx'
import { transcribeRoom } from '../rooms/transcribe/index.tsx'
import { usageRoom } from '../rooms/usage/index.tsx'
import type { Room } from '../stores/route.ts'

export const roomIcons: Record<Room, LucideIcon> = {
  chat: MessageSquare,
  speech: AudioLines,
  transcribe: Mic,
  images: Images,
  usage: ChartNoAxesColumn,
  keys: KeyRound,
  proxy: Waypoints,
  settings: Settings,
}

export const roomViews: Record<Room, RoomView> = {
  chat: chatRoom,
  transcribe: transcribeRoom,
  speech: speechRoom,
  images: imagesRoom,
  usage: usageRoom,
  keys: keysRoom,
  proxy: proxyRoom,
  settings: settingsRoom,
}
