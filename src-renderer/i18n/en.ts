import { common } from './en/common.ts'
import { connect } from './en/connect.ts'
import { problems } from './en/problems.ts'
import { proxy } from './en/proxy.ts'
import { settings } from './en/settings.ts'
import { shell } from './en/shell.ts'
import { chat } from './en.chat.ts'

export const en = { common, shell, connect, settings, proxy, problems, chat }
