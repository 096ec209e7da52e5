-- For wrk: posts a request's JSON. wrk --latency -s infer.lua URL -- request.json
function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
  wrk.headers["Content-Type"] = "application/json"
end
