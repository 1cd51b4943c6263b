/** The problems that pages and their scripts explain in the same way. Scripts use this file, so it imports nothing. */
export const sharedProblemTexts = {
  submission_closed: "この回答はクローズ済みです。編集するには、クローズを解除してください。",
  duplicate: "ほかのデータと値が重複しています。",
  too_large: "データのサイズが上限を超えています。内容を減らしてください。",
  rate_limited: "操作の回数が多すぎます。しばらくしてからもう一度お試しください。",
  try_again: "ただいま処理が混み合っています。しばらくしてからもう一度お試しください。",
};
