const mayHaveWorked = '第一次尝试可能已经执行，并产生了费用。'

/** One entry for every kind. No text may say that nothing was charged (ERR-11). */
const kinds = {
  invalid_request: {
    title: '服务拒绝了此请求',
    meaning: '此请求对这个模型无效（400）。请更改后再试。',
    action: '编辑',
  },
  unauthorized: {
    title: '服务拒绝了此 API 密钥',
    meaning: 'API 密钥无效（401）。请在“设置”中检查。',
    action: '检查密钥',
  },
  insufficient_credits: {
    title: '额度不足',
    meaning: '账户中的 SC 不足以完成此请求（402）。请在开设账户的地方充值，然后重试。',
    action: '重试',
  },
  forbidden: {
    title: '没有权限',
    meaning: '此 API 密钥没有执行此操作的权限（403）。请使用其他密钥，或联系账户的管理者。',
    action: '更换密钥',
  },
  not_found: {
    title: '找不到模型或地址',
    meaning: '服务没有此模型或地址（404）。请选择其他模型，或在“设置”中检查基础 URL。',
    action: '检查地址',
  },
  rate_limited: {
    title: '请求过多',
    meaning: '已达到速率或容量上限（429）。请稍等片刻再试。',
    action: '重试',
  },
  internal: {
    title: '服务错误',
    meaning: `服务报告了内部错误（500）。请求没有自动重试。${mayHaveWorked}`,
    action: '重试',
  },
  not_implemented: {
    title: '服务不支持',
    meaning: '服务没有实现此功能（501）。请改用“聊天”。',
    action: '打开聊天',
  },
  bad_gateway: {
    title: '服务无法连接到其模型',
    meaning: `服务出现路由或上游错误（502）。${mayHaveWorked}`,
    action: '重试',
  },
  unavailable: {
    title: '服务不可用',
    meaning: `服务要求稍后再试（503）。${mayHaveWorked}`,
    action: '重试',
  },
  gateway_timeout: {
    title: '模型用时过长',
    meaning: `服务已停止等待模型（504）。${mayHaveWorked}`,
    action: '重试',
  },
  unexpected_status: {
    title: '意外的回复',
    meaning: '服务回复了本程序未预料到的状态码。',
    action: '重试',
  },
  connect_failed: {
    title: '无法连接到服务',
    meaning: '此地址没有响应。请检查地址和网络。',
    action: '检查地址',
  },
  connect_timeout: {
    title: '连接超时',
    meaning: '此地址没有接受连接。可能是网络较慢，或被防火墙阻止。',
    action: '重试',
  },
  tls_failed: {
    title: '无法建立安全连接',
    meaning: '无法验证服务的证书。没有发送任何内容。请检查地址。',
    action: '检查地址',
  },
  headers_timeout: {
    title: '没有及时收到回复',
    meaning: '请求已发送，但没有开始回复。你仍可能需要为此付费。',
    action: '重试',
  },
  idle_timeout: {
    title: '回复中断',
    meaning: '没有再收到文字。重试会请求新的回复，并再次产生费用。',
    action: '重试',
  },
  connection_lost: {
    title: '连接中断',
    meaning: '连接在回复完成之前中断。你仍可能需要为此付费。',
    action: '重试',
  },
  malformed_reply: {
    title: '回复无法读取',
    meaning: '回复与其内容类型不符。可能是服务出错，或者这不是服务的地址。',
    action: '重试',
  },
  incomplete_stream: {
    title: '回复不完整',
    meaning: '回复结束时没有给出结束原因。重试会请求新的回复，并再次产生费用。',
    action: '重试',
  },
  foreign_address: {
    title: '已阻止的地址',
    meaning: '服务给出的文件不在其基础 URL 之内。你的密钥不会发送到那里。',
    action: '检查地址',
  },
  cancelled: {
    title: '已停止',
    meaning: '请求已取消，不会自动重试。',
    action: '重试',
  },
  would_wait: {
    title: '未发送：需要等待',
    meaning: '队列繁忙，而此应用要求不等待。请求没有发送。',
    action: '重试',
  },
  queue_full: {
    title: '队列已满',
    meaning: '等待中的请求过多，此请求没有发送。请等待部分请求完成。',
    action: '重试',
  },
  queue_timeout: {
    title: '排队超时',
    meaning: '请求排队时间过长，没有发送。',
    action: '重试',
  },
  bad_input: {
    title: '请检查输入',
    meaning: '有值缺失或无效。请更正后再试。',
    action: '编辑',
  },
  not_connected: {
    title: '未连接',
    meaning: '没有连接，或缺少其 API 密钥。请在“设置”中连接。',
    action: '连接',
  },
  connection_changed: {
    title: '连接已更改',
    meaning: '连接在发送前已更改，因此请求没有发送。重试即可使用新连接。',
    action: '重试',
  },
  keychain_missing: {
    title: '此电脑上没有钥匙串',
    meaning: '无法存储密钥，只能在本次会话中使用。',
    action: '打开设置',
  },
  keychain_locked: {
    title: '钥匙串已锁定',
    meaning: '请在系统中解锁钥匙串，然后重新检查。',
    action: '重新检查',
  },
  no_such_item: {
    title: '未找到',
    meaning: '它已在此处或另一个窗口中删除。',
    action: '打开聊天',
  },
  busy: {
    title: '已在进行中',
    meaning: '同一操作正在运行。请等待它结束。',
    action: '重试',
  },
  folder_in_use: {
    title: '数据文件夹正在使用中',
    meaning: '另一个 Inference Studio 正在使用它。请先将其关闭。',
    action: '重新加载',
  },
  store_newer: {
    title: '数据来自较新的版本',
    meaning: '此数据由较新版本的 Inference Studio 写入。请更新 Inference Studio。没有做任何更改。',
    action: '复制详细信息',
  },
  store_damaged: {
    title: '无法读取数据',
    meaning: '数据库已损坏。请先复制一份数据文件夹。',
    action: '显示文件夹',
  },
  disk_full: {
    title: '磁盘已满',
    meaning: '无法再保存任何内容。请释放一些空间后再试。',
    action: '显示文件夹',
  },
  not_writable: {
    title: '没有写入权限',
    meaning: 'Inference Studio 无法写入此文件夹。请为你的用户账户授予写入权限，然后重试。',
    action: '显示文件夹',
  },
  too_many_open_files: {
    title: '打开的文件过多',
    meaning: 'Inference Studio 目前无法打开更多文件。请关闭其他程序，然后重试。',
    action: '重试',
  },
  database_locked: {
    title: '数据库已锁定',
    meaning: '其他程序（例如数据库浏览器）锁定了它。请关闭该程序，然后重试。',
    action: '重试',
  },
  port_taken: {
    title: '端口已被占用',
    meaning: '另一个程序正在使用此端口。请在“设置”中选择其他端口。',
    action: '更改端口',
  },
  bug: {
    title: '内部错误',
    meaning: '问题出在 Inference Studio，而不是服务。详细信息有助于查找原因。',
    action: '复制详细信息',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'API 密钥无效（401）。请重新输入，或使用其他密钥。',
  not_found: '服务没有此模型或地址（404）。请检查基础 URL。',
  not_connected: '没有连接，或缺少其 API 密钥。',
  port_taken: '另一个程序正在使用此端口。请选择其他端口。',
}

/** Texts for `unexpected_status`, by what the status calls for. */
const statuses = {
  informational: {
    title: '没有最终回复',
    meaning: `服务发送了临时回复，但没有最终回复（{{status}}）。${mayHaveWorked}`,
  },
  empty: {
    title: '回复没有内容',
    meaning: '服务的回应中没有预期的内容（{{status}}）。',
  },
  redirect: {
    title: '服务重定向到其他地址',
    meaning: '服务以重定向回应（{{status}}）。密钥不会发送到其他地址：请检查基础 URL。',
  },
  method: {
    title: '此地址不支持',
    meaning: '服务在此地址不接受这类请求（{{status}}）。请在“设置”中检查基础 URL。',
  },
  format: {
    title: '不接受此格式',
    meaning: '服务不接受此请求的格式（{{status}}）。请使用其他格式。',
  },
  proxy: {
    title: '网络要求登录',
    meaning: '此处与服务之间的网络或代理要求登录（{{status}}）。请登录网络，然后重试。',
  },
  timeout: {
    title: '请求送达时间过长',
    meaning: '服务没有及时收到完整的请求（{{status}}）。请检查网络，然后重试。',
  },
  conflict: {
    title: '服务端冲突',
    meaning: '服务报告与另一条请求或其当前状态冲突（{{status}}）。请稍后再试。',
  },
  gone: {
    title: '不再可用',
    meaning: '服务中已没有此地址或模型（{{status}}）。请选择其他模型，或在“设置”中检查基础 URL。',
  },
  length: {
    title: '需要提供长度',
    meaning: '服务需要在请求到达之前知道其长度（{{status}}）。',
  },
  tooLarge: {
    title: '请求过大',
    meaning: '请求超过了服务接受的大小（{{status}}）。请缩小或拆分后再试。',
  },
  addressTooLong: {
    title: '地址过长',
    meaning: '请求的地址超过了服务接受的长度（{{status}}）。',
  },
  range: {
    title: '该部分不可用',
    meaning: '服务没有所请求的文件部分（{{status}}）。',
  },
  unprocessable: {
    title: '服务无法处理此请求',
    meaning: '服务理解此请求，但无法处理（{{status}}）。请更改后再试。',
  },
  joke: {
    title: '服务拒绝了此请求',
    meaning: '服务拒绝了请求：“我是茶壶”（{{status}}）。',
  },
  wrongHost: {
    title: '服务器不正确',
    meaning: '请求到达了不负责此地址的服务器（{{status}}）。请在“设置”中检查基础 URL。',
  },
  early: {
    title: '请求过早',
    meaning: '服务暂时不处理此请求（{{status}}）。请稍后再试。',
  },
  upgrade: {
    title: '需要其他协议',
    meaning: '服务要求使用其他协议或其更新版本（{{status}}）。请在“设置”中检查基础 URL。',
  },
  headersTooLarge: {
    title: '标头过大',
    meaning: '请求的标头超过了服务接受的大小（{{status}}）。',
  },
  legal: {
    title: '因法律原因不可用',
    meaning: '因法律原因，服务不得回应此请求（{{status}}）。',
  },
  client: {
    title: '服务拒绝了此请求',
    meaning: '服务拒绝了请求（{{status}}）。请更改后再试。',
  },
  storage: {
    title: '服务的存储空间不足',
    meaning: '服务没有存储空间处理此请求（{{status}}）。请稍后再试。',
  },
  unreachable: {
    title: '无法连接到服务',
    meaning: `网关无法连接到服务（{{status}}）。${mayHaveWorked}`,
  },
  server: {
    title: '服务错误',
    meaning: `服务报告了错误（{{status}}）。${mayHaveWorked}`,
  },
  unassigned: {
    title: '未知状态',
    meaning: '服务以 HTTP 未定义的状态码回应（{{status}}）。',
  },
}

export const problems = {
  storage: {
    title: '无法保存更改',
    meaning: '在此之前，新的回复可能不会保存。',
    action: '重试',
  },
  kinds,
  statuses,
  inSettings,
  said: '服务返回：“{{message}}”',
  wait: '服务要求等待 {{seconds}} 秒。',
  kept: '回复不完整，已收到的内容已保存。',
  facts: {},
}
