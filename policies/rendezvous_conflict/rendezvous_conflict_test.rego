package tao.rules.rendezvous_conflict_test

import data.tao.lib.fixture
import data.tao.rules.rendezvous_conflict as rule

training(nodes, gpus) := {"nodes": nodes, "gpusPerNode": gpus, "containers": ["tao"]}

test_warn[name] if {
	some name, tc in {
		"as many processes as TAO takes for nodes": {"env": ["WORLD_SIZE", "16"], "nodes": 2, "says": "WORLD_SIZE is 16, but TAO reads it as the number of nodes, which is 2"},
		"other nodes on one node": {"env": ["WORLD_SIZE", "2"], "nodes": 1, "says": "which is 1"},
		"more nodes than there are": {"env": ["NNODES", "4"], "nodes": 2, "says": "NNODES is 4, but there are 2 nodes"},
		"torchrun's nodes": {"env": ["PET_NNODES", "3"], "nodes": 2, "says": "there are 2 nodes"},
		"fewer processes than GPUs": {"env": ["NPROC_PER_NODE", "4"], "nodes": 2, "says": "each node has 8 GPUs"},
		"another number of GPUs": {"env": ["NUM_GPU_PER_NODE", "1"], "nodes": 1, "says": "each node has 8 GPUs"},
		"one rank for all": {"env": ["NODE_RANK", "0"], "nodes": 2, "says": "the same on each of 2 nodes"},
		"each for itself": {"env": ["MASTER_ADDR", "localhost"], "nodes": 2, "says": "do not find each other"},
	}
	some v in rule.violation with input as {"object": fixture.env(tc.env[0], tc.env[1]), "training": training(tc.nodes, 8)}
	v.path == fixture.env_path
	contains(v.message, tc.says)
	contains(v.message, `container "tao"`)
}

test_fits[name] if {
	some name, tc in {
		"the number of nodes": {"env": ["WORLD_SIZE", "2"], "nodes": 2, "gpus": 8},
		"one node": {"env": ["WORLD_SIZE", "1"], "nodes": 1, "gpus": 8},
		"a range of nodes": {"env": ["PET_NNODES", "1:2"], "nodes": 2, "gpus": 8},
		"what torchrun finds by itself": {"env": ["NPROC_PER_NODE", "gpu"], "nodes": 2, "gpus": 8},
		"processes without GPUs": {"env": ["NPROC_PER_NODE", "4"], "nodes": 1, "gpus": 0},
		"a rank on one node": {"env": ["NODE_RANK", "0"], "nodes": 1, "gpus": 8},
		"a rank that is a reference": {"env": ["NODE_RANK", "$(INDEX)"], "nodes": 2, "gpus": 8},
		"an address on one node": {"env": ["MASTER_ADDR", "localhost"], "nodes": 1, "gpus": 8},
		"an address of another": {"env": ["MASTER_ADDR", "rank0.lab"], "nodes": 2, "gpus": 8},
		"another variable": {"env": ["BATCH_SIZE", "16"], "nodes": 2, "gpus": 8},
	}
	count(rule.violation) == 0 with input as {"object": fixture.env(tc.env[0], tc.env[1]), "training": training(tc.nodes, tc.gpus)}
}

test_only_training_containers_count if {
	job := fixture.job({"spec": {"initContainers": [{"name": "prepare", "env": [{"name": "WORLD_SIZE", "value": "16"}]}]}})
	count(rule.violation) == 0 with input as {"object": job, "training": training(2, 8)}
}

test_cron_job if {
	job := fixture.cron_job({"spec": {"containers": [{"name": "tao", "env": [{"name": "WORLD_SIZE", "value": "16"}]}]}})
	some v in rule.violation with input as {"object": job, "training": training(2, 8)}
	array.slice(v.path, 0, 2) == ["spec", "jobTemplate"]
}

test_nothing_is_said_of_a_job_that_was_not_read if {
	count(rule.violation) == 0 with input as fixture.env("WORLD_SIZE", "16")
}
