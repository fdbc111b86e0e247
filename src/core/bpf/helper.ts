/** Functions of the kernel that programs call (linux/bpf.h, enum bpf_func_id), by their names without `bpf_`. */
export const HELPER = {
  map_lookup_elem: 1,
  ktime_get_ns: 5,
  get_prandom_u32: 7,
  redirect: 23,
  skb_load_bytes: 26,
  skb_pull_data: 39,
  redirect_map: 51,
  ringbuf_output: 130,
  ktime_get_coarse_ns: 160,
  xdp_get_buff_len: 188,
} as const;

export type Helper = keyof typeof HELPER;
