/**
 * Counts requests in windows and places at once, whole or not at all, by the clock of Redis alone.
 *
 * ARGV: the process, for how many milliseconds its places are believed without news of it, and then one question after
 * the other: requests, places of the process before them, places there are (-1 for any number), windows; and for each
 * window its limit and its length in milliseconds. KEYS: for each question the places, where they are limited, and the
 * windows. A later window counts only the requests that the earlier ones let in.
 *
 * Answers the time in milliseconds, and for each question the places that all processes had taken before, where they are
 * limited, and the requests that each window had counted before.
 */
export const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, lease = ARGV[1], tonumber(ARGV[2])
local answer, taken = { now }, {}
local key, at = 1, 3

local function others(places)
  local sum = 0
  local held = redis.call('HGETALL', places)
  for i = 1, #held, 2 do
    if held[i] ~= process then
      local count, till = string.match(held[i + 1], '^(%d+):(%d+)$')
      if tonumber(till) > now then
        sum = sum + tonumber(count)
      else
        redis.call('HDEL', places, held[i])
      end
    end
  end
  return sum
end

while at <= #ARGV do
  local asked, own, most = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local windows = tonumber(ARGV[at + 3])
  local granted, places = asked, nil
  at = at + 4
  if most >= 0 then
    places = KEYS[key]
    key = key + 1
    own = taken[places] or own
    local before = others(places) + own
    answer[#answer + 1] = before
    granted = math.max(0, math.min(asked, most - before))
  end
  for _ = 1, windows do
    local limit, length = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local used = tonumber(redis.call('GET', KEYS[key]) or '0')
    answer[#answer + 1] = used
    granted = math.max(0, math.min(granted, limit - used))
    if granted > 0 then
      redis.call('INCRBY', KEYS[key], granted)
      if used == 0 then
        redis.call('PEXPIREAT', KEYS[key], (math.floor(now / length) + 1) * length)
      end
    end
    key = key + 1
    at = at + 2
  end
  if places then
    taken[places] = own + granted
    if taken[places] > 0 then
      redis.call('HSET', places, process, string.format('%d:%d', taken[places], now + lease))
      redis.call('PEXPIRE', places, lease)
    else
      redis.call('HDEL', places, process)
    end
  end
end
return answer
`;

/**
 * Counts a visit in the stretch of time that ends with it, for a network and, where there is a second key, for the site
 * that holds it; neither where one of them is full.
 *
 * ARGV: the length of the stretch in milliseconds, and the limit for each key. Answers the time in milliseconds, whether
 * the visit was counted, and for each key the visits before it and the time of the first of them.
 */
export const SLIDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[1])
local answer, isAllowed = { now, 1 }, true

for i, key in ipairs(KEYS) do
  local first = redis.call('LINDEX', key, 0)
  while first and tonumber(first) <= now - length do
    redis.call('LPOP', key)
    first = redis.call('LINDEX', key, 0)
  end
  local count = redis.call('LLEN', key)
  if count >= tonumber(ARGV[i + 1]) then isAllowed = false end
  answer[#answer + 1] = count
  answer[#answer + 1] = tonumber(first or now)
end
if not isAllowed then
  answer[2] = 0
  return answer
end
for _, key in ipairs(KEYS) do
  redis.call('RPUSH', key, string.format('%d', now))
  redis.call('PEXPIRE', key, length)
end
return answer
`;
