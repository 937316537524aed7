"""Sums every rank's number over all ranks, as a training step sums gradients."""
import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
total = torch.tensor([rank + 1.0])
dist.all_reduce(total)
assert total.item() == size * (size + 1) / 2, total
print(f"rank {rank} of {size} on node {os.environ['NODE_RANK']} for {os.environ['TAO_JOB_ID']}: the sum is {int(total.item())}", flush=True)
dist.destroy_process_group()
